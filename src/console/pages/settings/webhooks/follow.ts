import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'

import type { WebhookDelivery } from '../../../api/shapes'
import { useLine } from '../../../live/line'
import { invalidateSoon } from '../../../live/refresh'

/** States that a delivery leaves by itself. */
const OPEN = new Set<WebhookDelivery['state']>(['pending', 'sending', 'held'])

/**
 * Asks for the events of a delivery while it is under way. What happened until the server knows that
 * is loaded.
 */
export function useFollow(delivery: WebhookDelivery | undefined): void {
  const client = useQueryClient()
  const { state, send, listen } = useLine()
  const id = delivery !== undefined && OPEN.has(delivery.state) ? delivery.id : null
  useEffect(() => {
    if (id === null || state !== 'live') return
    const topics = [`delivery:${id}`]
    const stop = listen(({ type }) => {
      if (type === 'subscribed')
        invalidateSoon(client, 'GET /api/webhooks/deliveries/{delivery_id}')
    })
    send('subscribe', { topics })
    return () => {
      stop()
      send('unsubscribe', { topics })
    }
  }, [client, id, listen, send, state])
}
