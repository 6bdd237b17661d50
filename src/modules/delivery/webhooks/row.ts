import type { webhookDeliveries, webhookEndpoints, webhookReplays } from './table'

/** An endpoint as stored. */
export type EndpointRow = typeof webhookEndpoints.$inferSelect
/** A delivery as stored. */
export type DeliveryRow = typeof webhookDeliveries.$inferSelect
/** A replay as stored. */
export type ReplayRow = typeof webhookReplays.$inferSelect
