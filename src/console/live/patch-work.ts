import type { Data, Route } from '../api/client'
import type { Work } from '../api/shapes'
import { changeData } from './change-data'
import type { Effect } from './effect'
import { keyOf } from './query'
import { invalidateSoon, refreshRowsSoon } from './refresh'
import { FIRST } from './start'

const OF_PRIVACY: readonly Route[] = ['GET /api/privacy/requests', 'GET /api/privacy/requests/{id}']
/** Which responses say how far work is. */
const ROUTES_OF: Partial<Record<Work['kind'], readonly Route[]>> = {
  archive: ['GET /api/organizations/{id}/archives'],
  erasure: OF_PRIVACY,
  export: ['GET /api/exports'],
  import: [
    'GET /api/imports',
    'GET /api/imports/{id}',
    'GET /api/imports/{id}/sample',
    'GET /api/imports/{id}/rows',
    'GET /api/tags', // a file may bring new ones
  ],
  privacy_export: OF_PRIVACY,
}

/** Work of the person goes on: it is among what is under way until it ends. */
export const onWork: Effect = (client, payload) => {
  const work = payload as Work // the event is an item of the list
  changeData<Data<'GET /api/me/work'>>(client, keyOf('GET /api/me/work', FIRST.work), (known) => {
    const others = known.items.filter(({ id }) => id !== work.id)
    const isNew = others.length === known.items.length
    const items = !isNew
      ? known.items.map((item) => (item.id === work.id ? work : item))
      : [work, ...others]
    return { ...known, items: work.state === 'running' ? items : others }
  })
  if (work.kind === 'webhook_replay') {
    invalidateSoon(client, 'GET /api/webhooks/{id}/replays/{replay_id}')
    refreshRowsSoon(client, 'GET /api/webhooks/{id}/deliveries')
  }
  for (const route of ROUTES_OF[work.kind] ?? []) invalidateSoon(client, route)
  if (ROUTES_OF[work.kind] === OF_PRIVACY) refreshRowsSoon(client, 'GET /api/privacy/requests')
}
