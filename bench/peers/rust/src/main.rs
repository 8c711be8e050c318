//! A peer: the same operations with axum and mysql_async.
use std::env;

use axum::{
    Json, Router,
    extract::{Path, Query, State, rejection::{JsonRejection, QueryRejection}},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
    serve::ListenerExt,
};
use mysql_async::{OptsBuilder, Pool, PoolConstraints, PoolOpts, prelude::Queryable};
use serde::{Deserialize, Serialize};
use serde_json::json;

const POOL_SIZE: usize = 10;
const LIST: &str = "SELECT id, name, category_id, status FROM pet WHERE id > ? ORDER BY id LIMIT ?";
const LIST_BY_STATUS: &str =
    "SELECT id, name, category_id, status FROM pet WHERE status = ? AND id > ? ORDER BY id LIMIT ?";
const GET: &str = "SELECT id, name, category_id, status FROM pet WHERE id = ?";
const INSERT: &str = "INSERT INTO pet (name, category_id, status) VALUES (?, ?, ?)";

#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Available,
    Pending,
    Sold,
}

impl Status {
    fn as_str(self) -> &'static str {
        match self {
            Status::Available => "available",
            Status::Pending => "pending",
            Status::Sold => "sold",
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Pet {
    id: i64,
    name: String,
    category_id: i64,
    status: String,
}

type Row = (i64, String, i64, String);

impl From<Row> for Pet {
    fn from((id, name, category_id, status): Row) -> Self {
        Pet { id, name, category_id, status }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewPet {
    name: String,
    category_id: i64,
    #[serde(default = "available")]
    status: Status,
}

fn available() -> Status {
    Status::Available
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListQuery {
    #[serde(default = "twenty")]
    limit: u32,
    #[serde(default)]
    cursor: u64,
    status: Option<Status>,
}

fn twenty() -> u32 {
    20
}

enum Failure {
    Bad(String),
    NotFound,
    Broken(String),
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure::Broken(error.to_string())
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let (status, code, message) = match self {
            Failure::Bad(message) => (StatusCode::BAD_REQUEST, "bad_request", message),
            Failure::NotFound => (StatusCode::NOT_FOUND, "not_found", "there is no pet with this id".into()),
            Failure::Broken(message) => {
                eprintln!("{message}");
                (StatusCode::INTERNAL_SERVER_ERROR, "internal_error", "internal error".into())
            }
        };
        (status, Json(json!({ "code": code, "message": message, "status": status.as_u16() }))).into_response()
    }
}

#[derive(Clone)]
struct Store(Pool);

impl Store {
    async fn list(&self, after: u64, limit: u32, status: Option<Status>) -> Result<Vec<Pet>, Failure> {
        let mut connection = self.0.get_conn().await?;
        let rows: Vec<Row> = match status {
            None => connection.exec(LIST, (after, limit)).await?,
            Some(status) => connection.exec(LIST_BY_STATUS, (status.as_str(), after, limit)).await?,
        };
        Ok(rows.into_iter().map(Pet::from).collect())
    }

    async fn get(&self, id: i64) -> Result<Option<Pet>, Failure> {
        let mut connection = self.0.get_conn().await?;
        let row: Option<Row> = connection.exec_first(GET, (id,)).await?;
        Ok(row.map(Pet::from))
    }

    async fn create(&self, pet: &NewPet) -> Result<u64, Failure> {
        let mut connection = self.0.get_conn().await?;
        connection.exec_drop(INSERT, (&pet.name, pet.category_id, pet.status.as_str())).await?;
        Ok(connection.last_insert_id().unwrap_or_default())
    }
}

async fn list_pets(
    State(store): State<Store>,
    query: Result<Query<ListQuery>, QueryRejection>,
) -> Result<Response, Failure> {
    let Query(ListQuery { limit, cursor, status }) = query.map_err(|fault| Failure::Bad(fault.body_text()))?;
    if !(1..=100).contains(&limit) {
        return Err(Failure::Bad("limit is 1 to 100".into()));
    }
    let mut pets = store.list(cursor, limit + 1, status).await?;
    if pets.len() <= limit as usize {
        return Ok(Json(pets).into_response());
    }
    pets.truncate(limit as usize);
    let status = status.map_or(String::new(), |status| format!("&status={}", status.as_str()));
    let link = format!("</v1/pets?limit={limit}&cursor={}{status}>; rel=\"next\"", pets[limit as usize - 1].id);
    Ok(([(header::LINK, link)], Json(pets)).into_response())
}

async fn get_pet(State(store): State<Store>, Path(id): Path<String>) -> Result<Json<Pet>, Failure> {
    let id = id.parse().map_err(|_| Failure::NotFound)?;
    store.get(id).await?.map(Json).ok_or(Failure::NotFound)
}

async fn create_pet(
    State(store): State<Store>,
    pet: Result<Json<NewPet>, JsonRejection>,
) -> Result<Response, Failure> {
    let Json(pet) = pet.map_err(|fault| Failure::Bad(fault.body_text()))?;
    if !(1..=255).contains(&pet.name.chars().count()) {
        return Err(Failure::Bad("name has 1 to 255 characters".into()));
    }
    let id = store.create(&pet).await?;
    let location = [(header::LOCATION, format!("/v1/pets/{id}"))];
    let made = Pet::from((id as i64, pet.name, pet.category_id, pet.status.as_str().into()));
    Ok((StatusCode::CREATED, location, Json(made)).into_response())
}

fn setting(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("{name} is not set"))
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let pool = PoolOpts::default()
        .with_constraints(PoolConstraints::new(POOL_SIZE, POOL_SIZE).expect("bounds"))
        // Otherwise it sends COM_RESET_CONNECTION after each use, which drops all prepared statements.
        .with_reset_connection(false);
    let options = OptsBuilder::default()
        .ip_or_hostname(setting("DATABASE_HOST"))
        .tcp_port(setting("DATABASE_PORT").parse().expect("a port"))
        .user(Some(setting("DATABASE_USER")))
        .pass(Some(setting("DATABASE_PASSWORD")))
        .db_name(Some(setting("DATABASE_NAME")))
        // TCP, like all others. By default it switches to the Unix socket of a local server.
        .prefer_socket(Some(false))
        .pool_opts(pool);
    let app = Router::new()
        .route("/v1/pets", get(list_pets).post(create_pet))
        .route("/v1/pets/{pet_id}", get(get_pet))
        .with_state(Store(Pool::new(options)));
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{}", setting("PORT"))).await?;
    // The default in Go and Node.
    let listener = listener.tap_io(|socket| drop(socket.set_nodelay(true)));
    axum::serve(listener, app).await
}
