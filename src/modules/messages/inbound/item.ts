import { and, eq, sql } from 'drizzle-orm'

import { sha256Hex } from '../../../lib/hash'
import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import type { InboundMessage } from '../../../platform/webhook/messages'
import type { AccountRow } from '../../accounts/view'
import { messages } from '../table'
import { DIGEST_KEY, type MessageRow } from '../view'

/**
 * An item the platform delivered about a conversation: what a customer says or does, or what we
 * said by other ways than this program.
 */
export interface InboundItem {
  account: AccountRow
  message: InboundMessage
  /** Who said it. */
  direction: MessageRow['direction']
  receivedAtMs: number
  /** Of before the number was connected: nobody is told, nobody is to answer. */
  isPast: boolean
  /** How far one of ours had come when that was told along with it. */
  pastStatus?: string | null
  /** Worked off once more long after it happened: nothing may act on it any more. */
  isLate: boolean
}

/** What became of one item. `parked`: kept until the message it is about is known. */
export type Receipt =
  | { outcome: 'stored' | 'upgraded'; messageId: string }
  | { outcome: 'applied' }
  | { outcome: 'duplicate' }
  | { outcome: 'parked' }

/**
 * The item's key among the messages of its number: the platform's id, else one made of its digest,
 * so that repeats of it collapse too.
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
          eq(messages.accountId, sql.placeholder('accountId')),
          eq(messages.waMessageId, sql.placeholder('waMessageId')),
        ),
      ),
    )
    .prepare(),
)

/**
 * The message of a number with this id of the platform's, in whichever direction; `null` when there
 * is none. Never one of another number.
 */
export const findByPlatformId = (
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  accountId: string,
  waMessageId: string,
): MessageRow | null =>
  byPlatformId(ctx.db).get({ organizationId: ctx.organizationId, accountId, waMessageId }) ?? null
