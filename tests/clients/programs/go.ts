/** With a client of oapi-codegen, in the package `api`. */
export const OAPI_CODEGEN = `
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"client/api"

	"github.com/google/uuid"
)

func check(what string, ok bool) {
	if !ok {
		fmt.Fprintln(os.Stderr, what)
		os.Exit(1)
	}
}

func main() {
	ctx := context.Background()
	url, text := os.Getenv("BASE_URL"), os.Getenv("TEXT")
	anyone, _ := api.NewClientWithResponses(url)
	login, err := anyone.LoginWithResponse(ctx, api.Credentials{Email: os.Getenv("EMAIL"), Password: os.Getenv("PASSWORD")})
	check(fmt.Sprint("login ", err), err == nil && login.JSON200 != nil)
	token := login.JSON200.Data.AccessToken
	client, _ := api.NewClientWithResponses(url, api.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+token)
		return nil
	}))

	limit := 5
	contacts, err := client.ListContactsWithResponse(ctx, &api.ListContactsParams{Limit: &limit})
	check(fmt.Sprint("contacts ", err), err == nil && contacts.JSON200 != nil)
	var input api.MessageInput
	check("input", input.FromTextMessageInput(api.TextMessageInput{Text: &text}) == nil)
	sent, err := client.SendContactMessageWithResponse(ctx, contacts.JSON200.Data.Items[0].Id, nil, input)
	check(fmt.Sprint("sent ", err), err == nil && sent.JSON201 != nil)
	stored, err := sent.JSON201.Data.AsTextMessage()
	check(fmt.Sprint("stored ", err), err == nil)
	read, err := client.GetMessageWithResponse(ctx, stored.Id, nil)
	check(fmt.Sprint("read ", err), err == nil && read.JSON200 != nil)
	message, err := read.JSON200.Data.AsTextMessage()
	check(fmt.Sprint("text ", err), err == nil && *message.Content.Text == text)

	missing, err := client.GetMessageWithResponse(ctx, uuid.MustParse(os.Getenv("MISSING")), nil)
	check(fmt.Sprint("missing ", err), err == nil && missing.JSON404 != nil && missing.JSON404.Code == "not_found")

	var event api.WebhookEvent
	check("event", json.Unmarshal([]byte(os.Getenv("EVENT")), &event) == nil)
	received, err := event.AsMessageReceivedEvent()
	check(fmt.Sprint("received ", err), err == nil)
	data, err := received.Data.AsWebhookTextMessage()
	check(fmt.Sprint("data ", err), err == nil && data.Content.Text != nil)
}
`

/** With a client of openapi-generator, go, whose module has the name that it has by default. */
export const GO = `
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	client "github.com/GIT_USER_ID/GIT_REPO_ID"
)

func check(what string, ok bool) {
	if !ok {
		fmt.Fprintln(os.Stderr, what)
		os.Exit(1)
	}
}

func main() {
	configuration := client.NewConfiguration()
	configuration.Servers = client.ServerConfigurations{{URL: os.Getenv("BASE_URL")}}
	api, text := client.NewAPIClient(configuration), os.Getenv("TEXT")
	credentials := client.NewCredentials(os.Getenv("EMAIL"), os.Getenv("PASSWORD"))
	login, _, err := api.AuthenticationAPI.Login(context.Background()).Credentials(*credentials).Execute()
	check(fmt.Sprint("login ", err), err == nil)
	ctx := context.WithValue(context.Background(), client.ContextAccessToken, login.Data.AccessToken)

	contacts, _, err := api.ContactsAPI.ListContacts(ctx).Limit(5).Execute()
	check(fmt.Sprint("contacts ", err), err == nil)
	input := client.NewTextMessageInput("text")
	input.Text = &text
	sent, _, err := api.MessagesAPI.SendContactMessage(ctx, contacts.Data.Items[0].Id).MessageInput(client.TextMessageInputAsMessageInput(input)).Execute()
	check(fmt.Sprint("sent ", err), err == nil)
	read, _, err := api.MessagesAPI.GetMessage(ctx, sent.Data.TextMessage.Id).Execute()
	check(fmt.Sprint("read ", err), err == nil && read.Data.TextMessage.Content.GetText() == text)

	_, _, err = api.MessagesAPI.GetMessage(ctx, os.Getenv("MISSING")).Execute()
	var refused *client.GenericOpenAPIError
	check("refused", errors.As(err, &refused))
	fail, isFail := refused.Model().(client.Fail)
	check("code", isFail && fail.Code == "not_found")

	// By default it does not read discriminators, and several events have the same fields.
	var event client.MessageReceivedEvent
	check("event", json.Unmarshal([]byte(os.Getenv("EVENT")), &event) == nil)
	check("received", event.Type == "message.received" && event.Data.WebhookTextMessage.Content.GetText() != "")
}
`
