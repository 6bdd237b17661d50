/** The client of a Switchboard server: see README.md. */
export { Switchboard } from './client'
export { SwitchboardError, type FieldProblem } from './error'
export type { Settings } from './request'
export type {
  Api,
  Data,
  Input,
  Item,
  ListName,
  OperationName,
  Payload,
  RequestOptions,
  Resync,
  SwitchboardEvent,
} from './shapes'
export type { Cursor, CursorStore, ListenOptions, Socket } from './socket'
export { verifyWebhook, type WebhookRequest } from './webhook'
export type * from '../../console/api/types.gen'
