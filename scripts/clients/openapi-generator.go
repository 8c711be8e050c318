package main

import (
	"context"
	"errors"
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

func main() {
	ctx := context.WithValue(context.Background(), api.ContextAccessToken, os.Getenv("KEY"))
	configuration := api.NewConfiguration()
	configuration.Servers = api.ServerConfigurations{{URL: os.Getenv("BASE")}}
	pets := api.NewAPIClient(configuration).PetsAPI
	last := int64(0)
	for _, category := range []int64{7, 9007199254740993, -9223372036854775808} {
		body := api.NewPetInput("Rex", category)
		body.SetStatus(api.SOLD)
		made, response, err := pets.CreatePet(ctx).PetInput(*body).Execute()
		check(err)
		last = made.Id
		fmt.Println(response.StatusCode, made.CategoryId)
	}
	list := pets.ListPets(ctx).Limit(2).Status(api.SOLD)
	for {
		page, response, err := list.Execute()
		check(err)
		categories := []string{}
		for _, pet := range page {
			categories = append(categories, fmt.Sprint(pet.CategoryId))
		}
		fmt.Println(strings.Join(categories, " "))
		link := next.FindStringSubmatch(response.Header.Get("Link"))
		if link == nil {
			break
		}
		address, err := url.Parse(link[1])
		check(err)
		list = list.Cursor(address.Query().Get("cursor"))
	}
	found, _, err := pets.GetPet(ctx, last).Execute()
	check(err)
	fmt.Println(found.CategoryId)
	_, _, err = pets.GetPet(ctx, 1000000).Execute()
	var failure *api.GenericOpenAPIError
	if !errors.As(err, &failure) {
		panic(err)
	}
	fmt.Println(failure.Model().(api.Error).Code)
}
