from bakeoff.client import AsyncClient as AsyncClient
from bakeoff.client import Client as Client

__version__: str
