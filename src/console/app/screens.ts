import { lazyRouteComponent } from '@tanstack/react-router'

import { styled } from '../parts/styled'
import areaStyle from '../styles/late/area.css'
import campaignEditStyle from '../styles/late/campaign-edit.css'
import campaignsStyle from '../styles/late/campaigns.css'
import analyticsStyle from '../styles/late/analytics.css'
import chartsStyle from '../styles/late/charts.css'
import developersStyle from '../styles/late/developers.css'
import filterStyle from '../styles/late/filter.css'
import importStyle from '../styles/late/import.css'
import pagesStyle from '../styles/late/pages.css'
import numberStyle from '../styles/late/number.css'
import panelStyle from '../styles/late/panel.css'
import phoneStyle from '../styles/late/phone.css'
import searchStyle from '../styles/late/search.css'
import settingsStyle from '../styles/late/settings.css'
import tablesStyle from '../styles/late/tables.css'
import tasksStyle from '../styles/late/tasks.css'
import templatesStyle from '../styles/late/templates.css'
import { Missing } from './exceptions'

// Every screen, whose code and styles are loaded when it is opened.

export const Inbox = lazyRouteComponent(() => import('../pages/inbox/inbox'), 'Inbox')
export const Search = lazyRouteComponent(
  styled(() => import('../pages/search/search'), pagesStyle, searchStyle),
  'Search',
)
export const Campaigns = lazyRouteComponent(
  styled(() => import('../pages/campaigns/campaigns'), pagesStyle, tablesStyle),
  'Campaigns',
)
const editCampaign = styled(
  () => import('../pages/campaign-edit/edit'),
  ...[pagesStyle, tasksStyle, filterStyle, importStyle, phoneStyle],
  ...[campaignsStyle, campaignEditStyle],
)
export const NewCampaign = lazyRouteComponent(editCampaign, 'NewCampaign')
export const EditCampaign = lazyRouteComponent(editCampaign, 'EditCampaign')
export const CampaignPage = lazyRouteComponent(
  styled(
    () => import('../pages/campaigns/campaign'),
    ...[pagesStyle, tablesStyle, tasksStyle, chartsStyle, campaignsStyle],
  ),
  'CampaignPage',
)
export const Templates = lazyRouteComponent(
  styled(() => import('../pages/templates/templates'), areaStyle, pagesStyle, tablesStyle),
  'Templates',
)
export const TemplatePage = lazyRouteComponent(
  styled(
    () => import('../pages/templates/template'),
    ...[pagesStyle, tablesStyle, phoneStyle, campaignsStyle, templatesStyle],
    importStyle,
  ),
  'TemplatePage',
)
export const Transfers = lazyRouteComponent(
  styled(() => import('../pages/transfers/transfers'), pagesStyle, tablesStyle),
  'Transfers',
)
export const Welcome = lazyRouteComponent(
  styled(() => import('../pages/welcome/welcome'), pagesStyle),
  'Welcome',
)
export const Parts = HAS_PARTS
  ? lazyRouteComponent(
      styled(
        () => import('../pages/dev/parts'),
        ...[
          pagesStyle,
          tablesStyle,
          settingsStyle,
          tasksStyle,
          phoneStyle,
          filterStyle,
          importStyle,
        ],
        chartsStyle,
      ),
      'Parts',
    )
  : Missing
export const Analytics = lazyRouteComponent(
  styled(
    () => import('../pages/analytics/analytics'),
    pagesStyle,
    tablesStyle,
    chartsStyle,
    analyticsStyle,
  ),
  'Analytics',
)
export const ReportBoard = lazyRouteComponent(() => import('../pages/analytics/board'), 'Board')
export const ReportLive = lazyRouteComponent(() => import('../pages/analytics/live'), 'Live')
export const ReportMessages = lazyRouteComponent(
  () => import('../pages/analytics/messages'),
  'Messages',
)
export const ReportPeople = lazyRouteComponent(() => import('../pages/analytics/people'), 'People')
export const ReportBot = lazyRouteComponent(() => import('../pages/analytics/bot'), 'Bot')
export const ReportCampaigns = lazyRouteComponent(
  () => import('../pages/analytics/campaigns'),
  'Campaigns',
)
export const ReportCosts = lazyRouteComponent(() => import('../pages/analytics/costs'), 'Costs')
export const ReportQuality = lazyRouteComponent(
  () => import('../pages/analytics/quality'),
  'Quality',
)
export const ReportMine = lazyRouteComponent(() => import('../pages/analytics/mine'), 'Mine')
export const ReportScheduled = lazyRouteComponent(
  () => import('../pages/analytics/scheduled'),
  'Scheduled',
)
export const Settings = lazyRouteComponent(
  styled(() => import('../pages/settings/settings'), pagesStyle, areaStyle, settingsStyle),
  'Settings',
)
export const Profile = lazyRouteComponent(() => import('../pages/settings/profile'), 'Profile')
export const Organization = lazyRouteComponent(
  () => import('../pages/settings/organization/organization'),
  'Organization',
)
export const Hours = lazyRouteComponent(() => import('../pages/settings/hours/hours'), 'Hours')
export const Roles = lazyRouteComponent(() => import('../pages/settings/roles/roles'), 'Roles')
export const RolePage = lazyRouteComponent(() => import('../pages/settings/roles/role'), 'RolePage')
export const Numbers = lazyRouteComponent(
  () => import('../pages/settings/number/numbers'),
  'Numbers',
)
export const NumberOverview = lazyRouteComponent(
  () => import('../pages/settings/number/overview'),
  'NumberOverview',
)
export const NumberProfile = lazyRouteComponent(
  styled(() => import('../pages/settings/number/profile'), importStyle, phoneStyle, numberStyle),
  'NumberProfile',
)
export const NumberCalling = lazyRouteComponent(
  () => import('../pages/settings/number/calling'),
  'NumberCalling',
)
export const NumberEntryPoints = lazyRouteComponent(
  () => import('../pages/settings/number/entry-points'),
  'NumberEntryPoints',
)
export const NumberConnection = lazyRouteComponent(
  () => import('../pages/settings/number/connection'),
  'NumberConnection',
)
export const People = lazyRouteComponent(() => import('../pages/settings/people'), 'People')
export const Teams = lazyRouteComponent(() => import('../pages/settings/teams'), 'Teams')
export const ApiKeys = lazyRouteComponent(() => import('../pages/settings/api-keys'), 'ApiKeys')
export const Webhooks = lazyRouteComponent(
  () => import('../pages/settings/webhooks/endpoints'),
  'Webhooks',
)
export const NewWebhook = lazyRouteComponent(
  styled(() => import('../pages/settings/webhooks/new'), developersStyle),
  'NewWebhook',
)
export const Webhook = lazyRouteComponent(
  styled(() => import('../pages/settings/webhooks/endpoint'), panelStyle, developersStyle),
  'Webhook',
)
export const WebhookDeliveries = lazyRouteComponent(
  styled(
    () => import('../pages/settings/webhooks/deliveries'),
    ...[tablesStyle, tasksStyle, developersStyle],
  ),
  'WebhookDeliveries',
)
export const WebhookDelivery = lazyRouteComponent(
  styled(() => import('../pages/settings/webhooks/delivery'), panelStyle, developersStyle),
  'WebhookDelivery',
)
export const Incoming = lazyRouteComponent(
  styled(() => import('../pages/settings/incoming/incoming'), tablesStyle, developersStyle),
  'Incoming',
)
export const IncomingEvent = lazyRouteComponent(
  styled(() => import('../pages/settings/incoming/event'), developersStyle),
  'IncomingEvent',
)
export const Queue = lazyRouteComponent(
  styled(() => import('../pages/settings/queue/queue'), tablesStyle),
  'Queue',
)
export const Tags = lazyRouteComponent(() => import('../pages/settings/tags'), 'Tags')
export const CannedResponses = lazyRouteComponent(
  styled(() => import('../pages/settings/canned-responses'), phoneStyle, numberStyle),
  'CannedResponses',
)
export const CustomFields = lazyRouteComponent(
  () => import('../pages/settings/fields/fields'),
  'CustomFields',
)
export const CustomActions = lazyRouteComponent(
  () => import('../pages/settings/actions/actions'),
  'CustomActions',
)
const customAction = styled(() => import('../pages/settings/actions/action'), developersStyle)
export const NewAction = lazyRouteComponent(customAction, 'NewAction')
export const ActionPage = lazyRouteComponent(customAction, 'ActionPage')
export const ConsentWords = lazyRouteComponent(
  () => import('../pages/settings/data/consent'),
  'ConsentWords',
)
export const Retention = lazyRouteComponent(
  () => import('../pages/settings/data/retention'),
  'Retention',
)
export const Privacy = lazyRouteComponent(
  styled(() => import('../pages/settings/data/privacy'), tablesStyle),
  'Privacy',
)
export const PrivacyRequestPage = lazyRouteComponent(
  () => import('../pages/settings/data/privacy-request'),
  'PrivacyRequestPage',
)
export const Exports = lazyRouteComponent(() => import('../pages/settings/data/exports'), 'Exports')
export const Archives = lazyRouteComponent(
  () => import('../pages/settings/data/archives'),
  'Archives',
)
export const SignInRules = lazyRouteComponent(
  () => import('../pages/settings/sign-in-rules'),
  'SignInRules',
)
export const Audit = lazyRouteComponent(
  styled(() => import('../pages/settings/audit/audit'), tablesStyle),
  'Audit',
)
