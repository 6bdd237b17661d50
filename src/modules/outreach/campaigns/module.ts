import type { Module } from '../../../http/module'
import { carried, derived } from '../../../infra/table-fates'
import { campaignRoutes, campaignDraftRoutes } from './routes'
import { campaignResultRoutes, campaignRunRoutes } from './run/routes'
import { campaignsOfContactRoute, recipientRoutes } from './recipients/routes'
import { campaignSubscribers } from './subscribers'
import { campaignSchedules, campaignWorkers } from './workers'
import { campaignHooks } from './hooks'
import {
  campaignCounts,
  campaignErrors,
  campaignRecipients,
  campaignSends,
  campaigns,
  portfolioReach,
} from './table'

export const campaignsModule: Module = {
  name: 'campaigns',
  tables: [
    carried(campaigns),
    carried(campaignRecipients),
    carried(campaignSends),
    carried(portfolioReach),
    derived(campaignCounts, 'counted by triggers', { lasting: 'true' }),
    derived(campaignErrors, 'counted by triggers', { lasting: 'true' }),
  ],
  routes: ({ http }) => [
    campaignRoutes(http),
    campaignDraftRoutes(http),
    campaignResultRoutes(http),
    campaignRunRoutes(http),
    recipientRoutes(http),
    campaignsOfContactRoute(http),
  ],
  workers: campaignWorkers,
  schedules: campaignSchedules,
  subscribers: campaignSubscribers,
  hooks: campaignHooks,
}
