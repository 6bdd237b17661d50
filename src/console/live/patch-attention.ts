import type { Data } from '../api/client'
import { changeData } from './change-data'
import type { Effect } from './effect'
import { keyOf } from './query'
import { invalidateSoon, refreshRowsSoon } from './refresh'

const ROUTE = 'GET /api/admin/attention'

/** What shows failed jobs and findings. */
const ROUTES_OF_SERVER = ['GET /api/admin/health', 'GET /api/jobs/kinds', 'GET /api/jobs/{id}']

/** Something needs an operator, or needs none any more. */
export const onAttention: Effect = (client, payload) => {
  // the event is the answer
  changeData<Data<typeof ROUTE>>(client, keyOf(ROUTE), () => payload as Data<typeof ROUTE>)
  for (const route of ROUTES_OF_SERVER) invalidateSoon(client, route)
  refreshRowsSoon(client, 'GET /api/jobs')
}

/** What shows each kind of long work of the server. */
const ROUTES_OF_WORK: Readonly<Record<string, readonly string[]>> = {
  backups: ['GET /api/admin/backups', 'GET /api/admin/health'],
  archives: ['GET /api/organizations/{id}/archives'],
  imports: ['GET /api/admin/organizations/imports', 'GET /api/admin/organizations/imports/{id}'],
  moves: ['GET /api/admin/organizations/moves', 'GET /api/organizations'],
  organizations: ['GET /api/organizations'],
}

/** Long work of the server went on. */
export const onServerWork: Effect = (client, { changed }) => {
  for (const kind of changed as string[])
    for (const route of ROUTES_OF_WORK[kind] ?? []) invalidateSoon(client, route)
}
