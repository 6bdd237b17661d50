import type { Module } from '../../http/module'
import { carried, derived } from '../../infra/table-fates'
import { campaignRoutes, campaignDraftRoutes } from './routes'
import { campaignResultRoutes, campaignRunRoutes } from './run/routes'
import { recipientRoutes } from './recipients/routes'
import { campaignSubscribers } from './subscribers'
import { campaignSchedules, campaignWorkers } from './workers'
import { campaignHooks } from './hooks'

export const campaignsModule: Module = {
  name: 'campaigns',
  tables: [
    carried('campaigns'),
    carried('campaign_recipients'),
    carried('campaign_sends'),
    carried('portfolio_reach'),
    derived('campaign_counts', 'counted by triggers', { lasting: 'true' }),
    derived('campaign_errors', 'counted by triggers', { lasting: 'true' }),
  ],
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
