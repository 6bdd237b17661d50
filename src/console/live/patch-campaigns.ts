import type { Campaign, Template } from '../api/shapes'
import type { Effect } from './effect'
import { invalidateSoon, refreshRowsSoon } from './refresh'
import { changeRow, removeRow } from './rows'

/** What else changes with the figures of a campaign: its cost, its errors, its people. */
const ROUTES_OF_FIGURES = [
  'GET /api/campaigns',
  'GET /api/campaigns/{id}',
  'GET /api/campaigns/{id}/progress',
  'GET /api/campaigns/{id}/history',
  'GET /api/campaigns/{id}/funnel',
]

/** Figures of a running campaign. */
const onProgress: Effect = (client, payload) => {
  const { campaign_id: id, rate_per_minute: _, ...figures } = payload
  changeRow(client, 'GET /api/campaigns', String(id), (known) => ({
    ...known,
    ...(figures as Partial<Campaign>), // the event has the names of the campaign's fields
  }))
  for (const route of ROUTES_OF_FIGURES) invalidateSoon(client, route)
  refreshRowsSoon(client, 'GET /api/campaigns')
  refreshRowsSoon(client, 'GET /api/campaigns/{id}/recipients')
}

const onTemplate: Effect = (client, payload) => {
  const { id, changed: _, ...facts } = payload
  if (facts['status'] === 'deleted') removeRow(client, 'GET /api/templates', String(id))
  else
    changeRow(client, 'GET /api/templates', String(id), (known) => ({
      ...known,
      ...(facts as Partial<Template>), // the event has the names of the template's fields
    }))
  for (const route of ['GET /api/templates', 'GET /api/templates/{id}', 'GET /api/setup'])
    invalidateSoon(client, route)
  refreshRowsSoon(client, 'GET /api/templates')
}

/** Effects of events about campaigns and templates. */
export const CAMPAIGN_EFFECTS: Record<string, Effect> = {
  'campaign:progress': onProgress,
  'template:updated': onTemplate,
}
