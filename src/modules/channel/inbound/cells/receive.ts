import { AppError, InvalidError } from '../../../../lib/errors'
import { typeGuardOf } from '../../../../lib/schema-check'
import type { Deps } from '../../../../infra/ctx'
import { openRequest } from '../../../../infra/cells/signature'
import type { Journal } from '../journal/staging-queue'
import type { ReadChange } from '../../../../platform/webhook/body'
import { presenceOf } from '../process/route'
import { placeOf, verifiedDelivery } from '../verify-signature'
import { DELIVERIES_PATH, DeliveryFacts, type DeliveryAnswer } from './facts'

const fitsFacts = typeGuardOf(DeliveryFacts)
const isFacts = (value: unknown): value is DeliveryFacts => fitsFacts(value)

/**
 * Stores a delivery of the platform that another cell passed on, and returns which of its changes
 * concern accounts of this cell. Trusts the signature of the cell: the platform's was verified
 * there. Changes that the sender has no account for are stored even if nobody here has one, because
 * their phone number may be connected later. Throws UnauthorizedError, InvalidError
 * `already_passed_on` and UnavailableError.
 */
export async function receiveFromCell(
  deps: Deps,
  journal: Journal,
  { bytes, headers }: { bytes: Uint8Array; headers: Headers },
): Promise<DeliveryAnswer> {
  try {
    return await accept(deps, journal, { bytes, headers })
  } catch (error) {
    deps.metrics.inboundRejected.inc({ reason: error instanceof AppError ? error.code : 'error' })
    throw error
  }
}

async function accept(
  deps: Deps,
  journal: Journal,
  { bytes: received, headers }: { bytes: Uint8Array; headers: Headers },
): Promise<DeliveryAnswer> {
  const { cells } = deps.settings
  const request = { path: DELIVERIES_PATH, bytes: received, headers }
  const opened = openRequest(cells?.secret ?? null, request, deps.clock.nowMs())
  const [facts, bytes] = [factsOf(opened.facts), opened.body]
  if (facts.hops > 1 || facts.cell === cells?.own)
    throw new InvalidError('The delivery was already passed on, and is not passed on again.', {
      code: 'already_passed_on',
    })
  const { signed_by: signedBy, cell } = facts
  const all = verifiedDelivery(bytes, { signedBy, cell, places: null })
  const isKnown = (change: ReadChange): boolean =>
    ['here', 'partly', 'shared'].includes(presenceOf(deps, change))
  const unknown = new Set(facts.unknown)
  const shared = new Set(facts.shared)
  const trusted = new Set(
    all.changes.filter(
      (change) => unknown.has(placeOf(change)) || (shared.has(placeOf(change)) && isKnown(change)),
    ),
  )
  if (trusted.size > 0) await journal.accept(bytes, { ...all, trusted })
  // Read after the commit: a number that was handed to another cell meanwhile is not known, so the
  // sender keeps its changes.
  const changes = [...trusted].filter(isKnown).map(placeOf)
  return { known: changes.length > 0, changes }
}

function factsOf(text: string): DeliveryFacts {
  let facts: unknown = null
  try {
    facts = JSON.parse(text)
  } catch {
    // Answered below.
  }
  if (isFacts(facts)) return facts
  throw new InvalidError('The facts about the delivery are malformed.', { code: 'invalid_input' })
}
