import type { Module } from '../../http/module'
import { campaignRoutes, campaignPartRoutes } from './routes'
import { campaignResultRoutes, campaignSteeringRoutes } from './run/routes'
import { recipientRoutes } from './recipients/routes'
import { campaignSubscribers } from './subscribers'
import { campaignSchedules, campaignWorkers } from './workers'
import { campaignHooks } from './results/track-delivery'

export const campaignsModule: Module = {
  name: 'campaigns',
  routes: ({ http }) => [
    campaignRoutes(http),
    campaignPartRoutes(http),
    campaignResultRoutes(http),
    campaignSteeringRoutes(http),
    recipientRoutes(http),
  ],
  workers: campaignWorkers,
  schedules: campaignSchedules,
  subscribers: campaignSubscribers,
  hooks: campaignHooks,
}
