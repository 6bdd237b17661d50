import { and, eq } from 'drizzle-orm'

import { sha256Hex } from '../../../../lib/hash'
import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import type { InboundMessage } from '../../../../platform/webhook/messages'
import type { AccountRow } from '../../../channel/accounts/view'
import { messages } from '../table'
import { DIGEST_KEY, type MessageRow } from '../view'

/**
 * An item delivered by the platform: a customer's message or reaction, or a message sent from the
 * phone app.
 */
export interface InboundItem {
  account: AccountRow
  message: InboundMessage
  /** Direction of the message. */
  direction: MessageRow['direction']
  receivedAtMs: number
  /** Part of the imported history: publishes nothing and needs no answer. */
  isPast: boolean
  /**
   * Seen while another app or the platform's agent owned the thread: shown, but nothing of ours
   * reacts to it.
   */
  isObserved: boolean
  /** Delivery status of an outgoing history message, if the platform included it. */
  pastStatus?: string | null
  /**
   * Set when a delivery is reprocessed much later: the message is shown, but nothing reacts to it.
   */
  isLate: boolean
}

/**
 * Result of one item. `parked`: stored until its message is known. `no_effect`: about a person who
 * was erased.
 */
export type Receipt =
  | { outcome: 'stored' | 'upgraded'; messageId: string }
  | { outcome: 'applied' }
  | { outcome: 'duplicate' }
  | { outcome: 'parked' }
  | { outcome: 'no_effect'; reason: 'erased' }

/**
 * Key of the item among the messages of its number: the platform ID, otherwise a digest, so that
 * repeats are recognized.
 */
export const keyOf = ({ waMessageId, raw }: InboundMessage): string =>
  waMessageId ?? `${DIGEST_KEY}${sha256Hex(JSON.stringify(raw))}`

const byPlatformId = compiled((orm) =>
  orm
    .select()
    .from(messages)
    .where(
      inOrganization(
        anyScope,
        messages,
        and(
          eq(messages.accountId, place(messages.accountId, 'accountId')),
          eq(messages.waMessageId, place(messages.waMessageId, 'waMessageId')),
        ),
      ),
    )
    .prepare(),
)

/** Returns the account's message with this platform ID, in either direction, or `null`. */
export const findByPlatformId = (
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  accountId: string,
  waMessageId: string,
): MessageRow | null =>
  byPlatformId(ctx.db).get({ organizationId: ctx.organizationId, accountId, waMessageId }) ?? null
