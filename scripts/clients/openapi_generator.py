import os
from urllib.parse import parse_qs, urlparse

from openapi_client import ApiClient, Configuration, NewPet, PetsApi, PetStatus
from openapi_client.exceptions import NotFoundException

configuration = Configuration(host=os.environ["BASE"], access_token=os.environ["KEY"])
pets = PetsApi(ApiClient(configuration))
for category in (7, 9007199254740993, -9223372036854775808):
    body = NewPet(name="Rex", categoryId=category, status=PetStatus.SOLD)
    made = pets.create_pet_with_http_info(body)
    print(made.status_code, made.data.category_id)
cursor = None
while True:
    page = pets.list_pets_with_http_info(limit=2, status=PetStatus.SOLD, cursor=cursor)
    print(*(pet.category_id for pet in page.data))
    link = page.headers.get("Link")
    if link is None:
        break
    cursor = parse_qs(urlparse(link[1 : link.index(">")]).query)["cursor"][0]
print(pets.get_pet(made.data.id).category_id)
try:
    pets.get_pet(1000000)
except NotFoundException as error:
    print(error.data.code)
