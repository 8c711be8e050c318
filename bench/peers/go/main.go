// A peer with the same operations in Go: net/http, database/sql and go-sql-driver/mysql.
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/go-sql-driver/mysql"
)

const poolSize = 10

type Pet struct {
	ID         int64  `json:"id"`
	Name       string `json:"name"`
	CategoryID int64  `json:"categoryId"`
	Status     string `json:"status"`
}

type newPet struct {
	Name       *string `json:"name"`
	CategoryID *int64  `json:"categoryId"`
	Status     *string `json:"status"`
}

type store struct{ list, listByStatus, get, insert *sql.Stmt }

func openStore() (*store, error) {
	config := mysql.NewConfig()
	config.Net = "tcp"
	config.Addr = net.JoinHostPort(os.Getenv("DATABASE_HOST"), os.Getenv("DATABASE_PORT"))
	config.User = os.Getenv("DATABASE_USER")
	config.Passwd = os.Getenv("DATABASE_PASSWORD")
	config.DBName = os.Getenv("DATABASE_NAME")
	config.Timeout = 2 * time.Second
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(poolSize)
	db.SetMaxIdleConns(poolSize) // With the default of 2 it would constantly open and close connections.
	db.SetConnMaxLifetime(5 * time.Minute)

	const columns = "SELECT id, name, category_id, status FROM pet"
	s := &store{}
	for _, p := range []struct {
		stmt **sql.Stmt
		sql  string
	}{
		{&s.list, columns + " WHERE id > ? ORDER BY id LIMIT ?"},
		{&s.listByStatus, columns + " WHERE status = ? AND id > ? ORDER BY id LIMIT ?"},
		{&s.get, columns + " WHERE id = ?"},
		{&s.insert, "INSERT INTO pet (name, category_id, status) VALUES (?, ?, ?)"},
	} {
		if *p.stmt, err = db.Prepare(p.sql); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *store) page(ctx context.Context, after int64, limit int, status string) ([]Pet, error) {
	var rows *sql.Rows
	var err error
	if status == "" {
		rows, err = s.list.QueryContext(ctx, after, limit)
	} else {
		rows, err = s.listByStatus.QueryContext(ctx, status, after, limit)
	}
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	pets := make([]Pet, 0, limit)
	for rows.Next() {
		var p Pet
		if err := rows.Scan(&p.ID, &p.Name, &p.CategoryID, &p.Status); err != nil {
			return nil, err
		}
		pets = append(pets, p)
	}
	return pets, rows.Err()
}

func (s *store) listPets(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	limit, err := strconv.Atoi(valueOr(query, "limit", "20"))
	if err != nil || limit < 1 || limit > 100 {
		fail(w, http.StatusBadRequest, "limit is 1 to 100")
		return
	}
	after, err := strconv.ParseInt(valueOr(query, "cursor", "0"), 10, 64)
	if err != nil || after < 0 {
		fail(w, http.StatusBadRequest, "cursor is none of ours")
		return
	}
	status := query.Get("status")
	if query.Has("status") && !isStatus(status) {
		fail(w, http.StatusBadRequest, "status is available, pending or sold")
		return
	}
	pets, err := s.page(r.Context(), after, limit+1, status)
	if err != nil {
		broken(w, err)
		return
	}
	if len(pets) > limit {
		pets = pets[:limit]
		query.Set("cursor", strconv.FormatInt(pets[limit-1].ID, 10))
		w.Header().Set("Link", fmt.Sprintf(`</v1/pets?%s>; rel="next"`, query.Encode()))
	}
	send(w, http.StatusOK, pets)
}

func (s *store) getPet(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.ParseInt(r.PathValue("petId"), 10, 64)
	if err != nil {
		fail(w, http.StatusNotFound, "there is no pet with this id")
		return
	}
	var p Pet
	err = s.get.QueryRowContext(r.Context(), id).Scan(&p.ID, &p.Name, &p.CategoryID, &p.Status)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		fail(w, http.StatusNotFound, "there is no pet with this id")
	case err != nil:
		broken(w, err)
	default:
		send(w, http.StatusOK, p)
	}
}

func (s *store) createPet(w http.ResponseWriter, r *http.Request) {
	pet, err := readPet(http.MaxBytesReader(w, r.Body, 16<<10))
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	written, err := s.insert.ExecContext(r.Context(), pet.Name, pet.CategoryID, pet.Status)
	if err == nil {
		pet.ID, err = written.LastInsertId()
	}
	if err != nil {
		broken(w, err)
		return
	}
	w.Header().Set("Location", "/v1/pets/"+strconv.FormatInt(pet.ID, 10))
	send(w, http.StatusCreated, pet)
}

func readPet(body io.Reader) (Pet, error) {
	var sent newPet
	decoder := json.NewDecoder(body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&sent); err != nil {
		return Pet{}, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return Pet{}, errors.New("one JSON object is expected")
	}
	if sent.Name == nil || sent.CategoryID == nil {
		return Pet{}, errors.New("name and categoryId are required")
	}
	if length := utf8.RuneCountInString(*sent.Name); length < 1 || length > 255 {
		return Pet{}, errors.New("name has 1 to 255 characters")
	}
	pet := Pet{Name: *sent.Name, CategoryID: *sent.CategoryID, Status: "available"}
	if sent.Status != nil {
		pet.Status = *sent.Status
	}
	if !isStatus(pet.Status) {
		return Pet{}, errors.New("status is available, pending or sold")
	}
	return pet, nil
}

func isStatus(s string) bool { return s == "available" || s == "pending" || s == "sold" }

func valueOr(query url.Values, name, otherwise string) string {
	if query.Has(name) {
		return query.Get(name)
	}
	return otherwise
}

func send(w http.ResponseWriter, status int, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		broken(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body)
}

func fail(w http.ResponseWriter, status int, message string) {
	code := map[int]string{400: "bad_request", 404: "not_found"}[status]
	send(w, status, map[string]any{"code": code, "message": message, "status": status})
}

func broken(w http.ResponseWriter, err error) {
	if errors.Is(err, context.Canceled) { // The client has disconnected.
		return
	}
	log.Print(err)
	send(w, 500, map[string]any{"code": "internal_error", "message": "internal error", "status": 500})
}

func main() {
	s, err := openStore()
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/pets", s.listPets)
	mux.HandleFunc("POST /v1/pets", s.createPet)
	mux.HandleFunc("GET /v1/pets/{petId}", s.getPet)
	server := &http.Server{
		Addr:              net.JoinHostPort("127.0.0.1", os.Getenv("PORT")),
		Handler:           mux,
		ReadHeaderTimeout: 5 * time.Second,
	}
	log.Fatal(server.ListenAndServe())
}
