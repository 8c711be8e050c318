import os
from urllib.parse import urljoin

import httpx
from models import Error, NewPet, Pet, Pets, PetStatus

client = httpx.Client(headers={"Authorization": f"Bearer {os.environ['KEY']}"})
pets = os.environ["BASE"] + "/pets"
for category in (7, 9007199254740993, -9223372036854775808):
    body = NewPet(name="Rex", categoryId=category, status=PetStatus.sold)
    response = client.post(pets, content=body.model_dump_json(), headers={"Content-Type": "application/json"})
    made = Pet.model_validate_json(response.content)
    print(response.status_code, made.categoryId)
address = pets + "?limit=2&status=sold"
while address is not None:
    response = client.get(address)
    print(*(pet.categoryId for pet in Pets.model_validate_json(response.content).root))
    following = response.links.get("next")
    address = following and urljoin(pets, following["url"])
print(Pet.model_validate_json(client.get(f"{pets}/{made.id}").content).categoryId)
print(Error.model_validate_json(client.get(f"{pets}/1000000").content).code)
