package main

import (
	"context"
	"fmt"
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

type key struct{}

func (key) BearerAuth(context.Context, api.OperationName) (api.BearerAuth, error) {
	return api.BearerAuth{Token: os.Getenv("KEY")}, nil
}

func main() {
	ctx := context.Background()
	client, err := api.NewClient(os.Getenv("BASE"), key{})
	check(err)
	sold, last := api.NewOptPetStatus(api.PetStatusSold), int64(0)
	for _, category := range []int64{7, 9007199254740993, -9223372036854775808} {
		made, err := client.CreatePet(ctx, &api.NewPet{Name: "Rex", CategoryId: category, Status: sold}, api.CreatePetParams{})
		check(err)
		pet := made.(*api.PetHeaders).Response
		last = pet.ID
		fmt.Println(201, pet.CategoryId)
	}
	params := api.ListPetsParams{Limit: api.NewOptInt(2), Status: sold}
	for {
		listed, err := client.ListPets(ctx, params)
		check(err)
		page := listed.(*api.PetsHeaders)
		categories := []string{}
		for _, pet := range page.Response {
			categories = append(categories, fmt.Sprint(pet.CategoryId))
		}
		fmt.Println(strings.Join(categories, " "))
		link := next.FindStringSubmatch(page.Link.Value)
		if link == nil {
			break
		}
		address, err := url.Parse(link[1])
		check(err)
		params.Cursor = api.NewOptString(address.Query().Get("cursor"))
	}
	found, err := client.GetPet(ctx, api.GetPetParams{PetId: last})
	check(err)
	fmt.Println(found.(*api.GetPetOKHeaders).Response.CategoryId)
	missing, err := client.GetPet(ctx, api.GetPetParams{PetId: 1000000})
	check(err)
	fmt.Println(missing.(*api.GetPetNotFound).Response.Code)
}
