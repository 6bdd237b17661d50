import type { webhookDeliveries, webhookEndpoints, webhookReplays } from './table'

export type EndpointRow = typeof webhookEndpoints.$inferSelect
export type DeliveryRow = typeof webhookDeliveries.$inferSelect
export type ReplayRow = typeof webhookReplays.$inferSelect
