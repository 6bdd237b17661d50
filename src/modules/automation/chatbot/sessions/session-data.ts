import { and, desc, eq, isNotNull, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { getVisibleContact } from '../../../inbox/contacts/sight/visibility'
import { versionOf } from '../bot-flows/queries'
import { botSessions } from '../engine/table'
import type { SessionData } from './model'
import { isVisibleSession, maskingOf } from './queries'
import { variablesOf } from './view'

const NOTHING: Readonly<SessionData> = {
  session_id: null,
  flow_id: null,
  flow_name: null,
  session_data: null,
  panel_config: null,
}

/**
 * Returns what the bot flow that a contact is in has asked, else the last one that has ended. All
 * fields are `null` if there was none. Throws NotFoundError.
 */
export function getSessionData(ctx: Ctx, contactId: string): SessionData {
  getVisibleContact(ctx, contactId)
  const session = ctx.db.orm
    .select()
    .from(botSessions)
    .where(
      inOrganization(
        ctx,
        botSessions,
        and(
          eq(botSessions.contactId, contactId),
          isNotNull(botSessions.flowId),
          isVisibleSession(ctx),
        ),
      ),
    )
    .orderBy(desc(sql`${botSessions.status} = 'active'`), desc(botSessions.startedAtMs))
    .limit(1)
    .get()
  if (!session) return NOTHING
  const { flowId, flowVersion } = session
  const flow = flowId === null || flowVersion === null ? null : versionOf(ctx, flowId, flowVersion)
  return {
    session_id: session.id,
    flow_id: flowId,
    flow_name: flow?.name ?? null,
    session_data: variablesOf(session, maskingOf(ctx, contactId)),
    panel_config: flow?.settings.panel ?? null,
  }
}
