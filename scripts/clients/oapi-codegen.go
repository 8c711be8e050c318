package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"

	"client/api"
)

var next = regexp.MustCompile(`<([^>]*)>; rel="next"`)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	ctx := context.Background()
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("KEY"))
		return nil
	}
	client, err := api.NewClientWithResponses(os.Getenv("BASE"), api.WithRequestEditorFn(authorize))
	check(err)
	sold, limit, last := api.PetStatus("sold"), 2, int64(0)
	for _, category := range []int64{7, 9007199254740993, -9223372036854775808} {
		made, err := client.CreatePetWithResponse(ctx, nil, api.NewPet{Name: "Rex", CategoryId: category, Status: &sold})
		check(err)
		last = made.JSON201.Id
		fmt.Println(made.StatusCode(), made.JSON201.CategoryId)
	}
	params := api.ListPetsParams{Limit: &limit, Status: &sold}
	for {
		page, err := client.ListPetsWithResponse(ctx, &params)
		check(err)
		categories := []string{}
		for _, pet := range *page.JSON200 {
			categories = append(categories, fmt.Sprint(pet.CategoryId))
		}
		fmt.Println(strings.Join(categories, " "))
		link := next.FindStringSubmatch(page.HTTPResponse.Header.Get("Link"))
		if link == nil {
			break
		}
		address, err := url.Parse(link[1])
		check(err)
		cursor := address.Query().Get("cursor")
		params.Cursor = &cursor
	}
	found, err := client.GetPetWithResponse(ctx, last, nil)
	check(err)
	fmt.Println(found.JSON200.CategoryId)
	missing, err := client.GetPetWithResponse(ctx, 1000000, nil)
	check(err)
	fmt.Println(missing.JSON404.Code)
}
