import type { Module } from '../../http/module'
import { campaignRoutes, campaignDraftRoutes } from './routes'
import { campaignResultRoutes, campaignRunRoutes } from './run/routes'
import { recipientRoutes } from './recipients/routes'
import { campaignSubscribers } from './subscribers'
import { campaignSchedules, campaignWorkers } from './workers'
import { campaignHooks } from './hooks'

export const campaignsModule: Module = {
  name: 'campaigns',
  routes: ({ http }) => [
    campaignRoutes(http),
    campaignDraftRoutes(http),
    campaignResultRoutes(http),
    campaignRunRoutes(http),
    recipientRoutes(http),
  ],
  workers: campaignWorkers,
  schedules: campaignSchedules,
  subscribers: campaignSubscribers,
  hooks: campaignHooks,
}
