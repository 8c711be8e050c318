<?php

require 'GuzzleHttp/autoload.php';
spl_autoload_register(function (string $class): void {
    $path = __DIR__ . '/api/lib/' . str_replace('\\', '/', substr($class, strlen('OpenAPI\\Client\\'))) . '.php';
    if (str_starts_with($class, 'OpenAPI\\Client\\')) require $path;
});

use OpenAPI\Client\Api\PetsApi;
use OpenAPI\Client\ApiException;
use OpenAPI\Client\Configuration;
use OpenAPI\Client\Model\NewPet;
use OpenAPI\Client\Model\PetStatus;

$configuration = (new Configuration())->setHost(getenv('BASE'))->setAccessToken(getenv('KEY'));
$pets = new PetsApi(new GuzzleHttp\Client(), $configuration);
foreach ([7, 9007199254740993, PHP_INT_MIN] as $category) {
    $body = new NewPet(['name' => 'Rex', 'category_id' => $category, 'status' => PetStatus::SOLD]);
    [$made, $status] = $pets->createPetWithHttpInfo($body);
    echo $status, ' ', $made->getCategoryId(), "\n";
}
$cursor = null;
do {
    [$page, , $headers] = $pets->listPetsWithHttpInfo(2, $cursor, PetStatus::SOLD);
    echo implode(' ', array_map(fn ($pet) => $pet->getCategoryId(), $page)), "\n";
    preg_match('/[?&]cursor=([^&>]+)[^>]*>; rel="next"/', $headers['Link'][0] ?? '', $next);
    $cursor = $next[1] ?? null;
} while ($cursor !== null);
echo $pets->getPet($made->getId())->getCategoryId(), "\n";
try {
    $pets->getPet(1000000);
} catch (ApiException $failure) {
    echo $failure->getResponseObject()->getCode(), "\n";
}
