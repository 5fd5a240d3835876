from .a import *
from star_cycle import *
from .. import star_cycle
