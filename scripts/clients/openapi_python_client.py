import os
from urllib.parse import parse_qs, urlparse

from animal_store_client import AuthenticatedClient
from animal_store_client.api.pets import create_pet, get_pet, list_pets
from animal_store_client.models import NewPet, PetStatus
from animal_store_client.types import UNSET

client = AuthenticatedClient(base_url=os.environ["BASE"], token=os.environ["KEY"])
for category in (7, 9007199254740993, -9223372036854775808):
    body = NewPet(name="Rex", category_id=category, status=PetStatus.SOLD)
    made = create_pet.sync_detailed(client=client, body=body)
    print(made.status_code.value, made.parsed.category_id)
cursor = UNSET
while True:
    page = list_pets.sync_detailed(client=client, limit=2, status=PetStatus.SOLD, cursor=cursor)
    print(*(pet.category_id for pet in page.parsed))
    link = page.headers.get("Link")
    if link is None:
        break
    cursor = parse_qs(urlparse(link[1 : link.index(">")]).query)["cursor"][0]
print(get_pet.sync(client=client, pet_id=made.parsed.id).category_id)
print(get_pet.sync(client=client, pet_id=1000000).code)
