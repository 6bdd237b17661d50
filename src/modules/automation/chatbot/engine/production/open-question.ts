import type { Ctx } from '../../../../../infra/ctx'
import type { Tx } from '../../../../../infra/db/transact'
import { versionOf } from '../../bot-flows/queries'
import { placeOf } from '../flow/advance'
import { offersText } from '../flow/answer'
import { findActiveSession, sessionOf, type SessionPlace } from './store'

/** Says of an opt-out or opt-in word whether a flow asks the contact something, and offers it. */
export function judgeWordIn(
  _tx: Tx,
  ctx: Ctx,
  said: SessionPlace & { text: string; question: { isOpen: boolean; isOffered: boolean } },
): void {
  const row = findActiveSession(ctx, said)
  if (row?.flowId == null || row.waitingFor !== 'reply') return
  said.question.isOpen = true
  const session = sessionOf(row)
  const flowVersion = (flowId: string, version: number) => versionOf(ctx, flowId, version)
  const place = placeOf({ ports: { flowVersion } }, session)
  if (place && offersText(place.node, session.state, said.text)) said.question.isOffered = true
}
