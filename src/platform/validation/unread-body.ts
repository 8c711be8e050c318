/**
 * A request body that nobody has read. The validation pipe reads it for a handler's `@Body() body: SomeDto`, which is
 * after every guard; a handler that declares `@Body() body: UnreadBody` gets it as it is and reads it itself.
 */
export abstract class UnreadBody {
  /**
   * The parsed JSON of the body.
   *
   * @throws {ApiError} body_required, unsupported_media_type, payload_too_large, invalid_json.
   */
  abstract read(): Promise<unknown>;
}
