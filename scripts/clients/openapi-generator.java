import java.net.URI;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.ApiResponse;
import org.openapitools.client.api.PetsApi;
import org.openapitools.client.model.Error;
import org.openapitools.client.model.NewPet;
import org.openapitools.client.model.Pet;
import org.openapitools.client.model.PetStatus;

public class Main {
    private static final Pattern NEXT = Pattern.compile("[?&]cursor=([^&>]+)[^>]*>; rel=\"next\"");

    public static void main(String[] arguments) throws Exception {
        ApiClient client = new ApiClient();
        client.setBasePath(System.getenv("BASE"));
        client.setBearerToken(System.getenv("KEY"));
        PetsApi pets = new PetsApi(client);
        long last = 0;
        for (long category : new long[] {7, 9007199254740993L, -9223372036854775808L}) {
            NewPet pet = new NewPet().name("Rex").categoryId(category).status(PetStatus.SOLD);
            ApiResponse<Pet> made = pets.createPetWithHttpInfo(pet, null);
            last = made.getData().getId();
            System.out.println(made.getStatusCode() + " " + made.getData().getCategoryId());
        }
        String cursor = null;
        do {
            ApiResponse<List<Pet>> page = pets.listPetsWithHttpInfo(2, cursor, PetStatus.SOLD, null);
            System.out.println(page.getData().stream().map(pet -> "" + pet.getCategoryId()).collect(Collectors.joining(" ")));
            List<String> links = page.getHeaders().getOrDefault("link", List.of(""));
            Matcher next = NEXT.matcher(links.get(0));
            cursor = next.find() ? next.group(1) : null;
        } while (cursor != null);
        System.out.println(pets.getPet(last, null).getCategoryId());
        try {
            pets.getPet(1000000L, null);
        } catch (ApiException failure) {
            System.out.println(Error.fromJson(failure.getResponseBody()).getCode());
        }
        // The threads of the HTTP client would keep the program running.
        System.exit(0);
    }
}
