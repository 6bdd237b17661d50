import type { Database } from 'bun:sqlite'

import type { Config } from './config'
import type { Deps } from './infra/ctx'
import { transact } from './infra/db/transact'
import { renewEventLog } from './infra/outbox/relay'
import { counted } from './lib/counted'
import { endRestoredSessions } from './modules/automation/chatbot/engine/end-after-restore'
import { restartClocks } from './modules/automation/transfers/restart-after-restore'
import { askAfterRestore } from './modules/data/organization-move/source/ask-after-restore'
import { markSendsUnknown } from './modules/inbox/messages/outbound/mark-unknown-after-restore'
import { failDueAfterRestore } from './modules/inbox/scheduled-messages/fail-after-restore'
import { startRebuilds } from './modules/insight/analytics/rollups/rebuild'
import { leaveOutMissedReports } from './modules/insight/analytics/scheduled/leave-out-after-restore'
import { pauseRestored } from './modules/outreach/campaigns/run/pause-after-restore'

/** What was stopped in a database that is older than what happened since. */
export interface SettledFacts {
  marked_unknown: number
  campaigns_paused: number
  scheduled_failed: number
  bot_sessions_ended: number
  /** Organizations that are frozen until the other cells have answered. */
  organizations_frozen: number
}

/** Whether there are other cells, to which organizations may have moved. */
export const hasPeers = ({ cells }: Pick<Config, 'cells'>): boolean =>
  (cells?.peers.length ?? 0) > 0

/**
 * `user_version` of a database that went back in time and that no server has opened since. It is
 * settled by the first server that opens it, which knows its schema. Part of the format of a
 * database: a former version of the program has to understand it.
 */
const UNSETTLED = 1

/** Has the first server that opens a database settle it. */
export const leaveUnsettled = (sqlite: Database): void =>
  void sqlite.run(`pragma user_version = ${UNSETTLED}`)

/** Whether a database went back in time, and no server has settled it. */
export const isUnsettled = (sqlite: Database): boolean =>
  sqlite.query<{ user_version: number }, []>('pragma user_version').get()?.user_version ===
  UNSETTLED

/**
 * Stops what may have gone on since a database was copied: nothing that may have been sent is sent
 * again. One transaction, so that an interrupted one is repeated as a whole.
 */
export function settleRestored(
  deps: Pick<Deps, 'db' | 'clock' | 'ids'>,
  { freezes }: { freezes: boolean },
): SettledFacts {
  // The parts have transactions of their own, which become savepoints of this one.
  return transact(deps.db, () => {
    const facts = {
      marked_unknown: markSendsUnknown(deps),
      campaigns_paused: pauseRestored(deps),
      scheduled_failed: failDueAfterRestore(deps),
      bot_sessions_ended: endRestoredSessions(deps),
    }
    restartClocks(deps)
    startRebuilds(deps)
    leaveOutMissedReports(deps)
    const frozen = askAfterRestore(deps, { freezes })
    renewEventLog(deps)
    deps.db.sqlite.run('pragma user_version = 0')
    return { ...facts, organizations_frozen: frozen }
  })
}

/** Says what was stopped, in sentences for the operator. */
export const settledSentences = (facts: SettledFacts): string[] => [
  ...(facts.marked_unknown > 0
    ? [
        `${counted(facts.marked_unknown, 'unsent message was', 'unsent messages were')} marked unknown ` +
          'and will not be sent.',
      ]
    : []),
  ...(facts.campaigns_paused > 0
    ? [
        `${counted(facts.campaigns_paused, 'campaign was', 'campaigns were')} paused because messages ` +
          'may have been sent since then. Before you resume one, look at its recipients with the status unknown.',
      ]
    : []),
  ...(facts.scheduled_failed > 0
    ? [
        `${counted(facts.scheduled_failed, 'scheduled message was', 'scheduled messages were')} due since ` +
          'then and will not be sent.',
      ]
    : []),
  ...(facts.bot_sessions_ended > 0
    ? [
        `${counted(facts.bot_sessions_ended, 'active session of the chatbot was', 'active sessions of the chatbot were')} ended.`,
      ]
    : []),
  ...(facts.organizations_frozen > 0
    ? [
        `${counted(facts.organizations_frozen, 'organization', 'organizations')} can only be read until the other servers of CELLS ` +
          'have answered, for ten minutes at most. One whose move had begun waits for its new server.',
      ]
    : []),
]
