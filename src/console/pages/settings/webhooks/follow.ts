import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'

import type { WebhookDelivery } from '../../../api/shapes'
import { keyOf } from '../../../live/query'

/** Pauses after which a delivery that is being sent is looked at again, milliseconds. */
const PAUSES_MS = [500, 1_000, 2_000, 4_000, 8_000]

/**
 * Loads a delivery again, a few times, while its first request is under way: no event tells how a
 * delivery ended, and who sent it again waits for the answer.
 */
export function useFollow(delivery: WebhookDelivery | undefined): void {
  const client = useQueryClient()
  const id = delivery?.id
  const isUnderWay =
    delivery?.state === 'sending' || (delivery?.state === 'pending' && delivery.attempt_count === 0)
  useEffect(() => {
    if (id === undefined || !isUnderWay) return undefined
    const queryKey = keyOf('GET /api/webhooks/deliveries/{delivery_id}', {
      params: { delivery_id: id },
    })
    let passedMs = 0
    const timers = PAUSES_MS.map((pauseMs) => {
      passedMs += pauseMs
      return setTimeout(() => {
        client.invalidateQueries({ queryKey }).catch(() => undefined)
      }, passedMs)
    })
    return () => {
      for (const timer of timers) clearTimeout(timer)
    }
  }, [client, id, isUnderWay])
}
