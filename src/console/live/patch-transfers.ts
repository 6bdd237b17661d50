import type { QueryClient } from '@tanstack/react-query'

import { currentSession } from '../api/session'
import type { Transfer, TransferList } from '../api/shapes'
import { changeData } from './change-data'
import type { Effect } from './effect'
import { invalidateSoon } from './refresh'

const ROUTE = 'GET /api/chatbot/transfers'

interface Filter {
  status?: string
  agent_id?: string
  team_id?: string
}

/** Whether a transfer belongs to a list with this filter. */
function belongsTo(filter: Filter, one: Transfer): boolean {
  const { status, agent_id: agent, team_id: team } = filter
  const session = currentSession()
  const ownId = session.phase === 'signed-in' ? session.me.id : null
  if (status !== undefined && one.status !== status) return false
  if (agent === 'none' && one.agent_id !== null) return false
  if (agent === 'me' && one.agent_id !== ownId) return false
  return team === undefined || (one.team_id ?? 'general') === team
}

/** Changes a transfer in every loaded list; it leaves lists that it no longer belongs to. */
export function changeTransfer(
  client: QueryClient,
  change: Partial<Transfer> & { id: string },
): void {
  const lists = client.getQueriesData<TransferList>({ queryKey: [ROUTE] })
  for (const [key, list] of lists) {
    const filter = (key[1] ?? {}) as Filter
    if (!list?.transfers.some(({ id }) => id === change.id)) continue
    changeData<TransferList>(client, key, (known) => ({
      ...known,
      transfers: known.transfers
        .map((one) => (one.id === change.id ? { ...one, ...change } : one))
        .filter((one) => one.id !== change.id || belongsTo(filter, one)),
    }))
  }
}

/** Effects of events about transfers. The lengths of the queues and new rows are loaded again. */
export const TRANSFER_EFFECTS: Record<string, Effect> = {
  'transfer:new': (client) => {
    invalidateSoon(client, ROUTE)
  },
  'transfer:updated': (client, payload) => {
    const { changed: _, reason: __, ...facts } = payload
    // Events are not in the OpenAPI document; what is sent is the transfer of the API.
    changeTransfer(client, facts as Partial<Transfer> & { id: string })
    invalidateSoon(client, ROUTE)
  },
}
