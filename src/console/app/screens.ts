import { firstScreen, lateScreen } from '../parts/late'
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

export const Inbox = firstScreen(() => import('../pages/inbox/inbox'), 'Inbox')
export const Search = lateScreen(
  styled(() => import('../pages/search/search'), pagesStyle, searchStyle),
  'Search',
)
export const Campaigns = lateScreen(
  styled(() => import('../pages/campaigns/campaigns'), pagesStyle, tablesStyle),
  'Campaigns',
)
const editCampaign = styled(
  () => import('../pages/campaign-edit/edit'),
  ...[pagesStyle, tasksStyle, filterStyle, importStyle, phoneStyle],
  ...[campaignsStyle, campaignEditStyle],
)
export const NewCampaign = lateScreen(editCampaign, 'NewCampaign')
export const EditCampaign = lateScreen(editCampaign, 'EditCampaign')
export const CampaignPage = lateScreen(
  styled(
    () => import('../pages/campaigns/campaign'),
    ...[pagesStyle, tablesStyle, tasksStyle, chartsStyle, campaignsStyle],
  ),
  'CampaignPage',
)
export const Templates = lateScreen(
  styled(() => import('../pages/templates/templates'), areaStyle, pagesStyle, tablesStyle),
  'Templates',
)
export const TemplatePage = lateScreen(
  styled(
    () => import('../pages/templates/template'),
    ...[pagesStyle, tablesStyle, phoneStyle, campaignsStyle, templatesStyle],
    importStyle,
  ),
  'TemplatePage',
)
export const Transfers = lateScreen(
  styled(() => import('../pages/transfers/transfers'), pagesStyle, tablesStyle),
  'Transfers',
)
export const Welcome = lateScreen(
  styled(() => import('../pages/welcome/welcome'), pagesStyle),
  'Welcome',
)
export const Parts = HAS_PARTS
  ? lateScreen(
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
export const Analytics = lateScreen(
  styled(
    () => import('../pages/analytics/analytics'),
    pagesStyle,
    tablesStyle,
    chartsStyle,
    analyticsStyle,
  ),
  'Analytics',
)
export const ReportBoard = lateScreen(() => import('../pages/analytics/board'), 'Board')
export const ReportLive = lateScreen(() => import('../pages/analytics/live'), 'Live')
export const ReportMessages = lateScreen(() => import('../pages/analytics/messages'), 'Messages')
export const ReportPeople = lateScreen(() => import('../pages/analytics/people'), 'People')
export const ReportBot = lateScreen(() => import('../pages/analytics/bot'), 'Bot')
export const ReportCampaigns = lateScreen(() => import('../pages/analytics/campaigns'), 'Campaigns')
export const ReportCosts = lateScreen(() => import('../pages/analytics/costs'), 'Costs')
export const ReportQuality = lateScreen(() => import('../pages/analytics/quality'), 'Quality')
export const ReportMine = lateScreen(() => import('../pages/analytics/mine'), 'Mine')
export const ReportScheduled = lateScreen(() => import('../pages/analytics/scheduled'), 'Scheduled')
export const Settings = lateScreen(
  styled(() => import('../pages/settings/settings'), pagesStyle, areaStyle, settingsStyle),
  'Settings',
)
export const Profile = lateScreen(() => import('../pages/settings/profile'), 'Profile')
export const Organization = lateScreen(
  () => import('../pages/settings/organization/organization'),
  'Organization',
)
export const Hours = lateScreen(() => import('../pages/settings/hours/hours'), 'Hours')
export const Roles = lateScreen(() => import('../pages/settings/roles/roles'), 'Roles')
export const RolePage = lateScreen(() => import('../pages/settings/roles/role'), 'RolePage')
export const Numbers = lateScreen(() => import('../pages/settings/number/numbers'), 'Numbers')
export const NumberOverview = lateScreen(
  () => import('../pages/settings/number/overview'),
  'NumberOverview',
)
export const NumberProfile = lateScreen(
  styled(() => import('../pages/settings/number/profile'), importStyle, phoneStyle, numberStyle),
  'NumberProfile',
)
export const NumberCalling = lateScreen(
  () => import('../pages/settings/number/calling'),
  'NumberCalling',
)
export const NumberEntryPoints = lateScreen(
  () => import('../pages/settings/number/entry-points'),
  'NumberEntryPoints',
)
export const NumberConnection = lateScreen(
  () => import('../pages/settings/number/connection'),
  'NumberConnection',
)
export const People = lateScreen(() => import('../pages/settings/people'), 'People')
export const Teams = lateScreen(() => import('../pages/settings/teams'), 'Teams')
export const ApiKeys = lateScreen(() => import('../pages/settings/api-keys'), 'ApiKeys')
export const Webhooks = lateScreen(() => import('../pages/settings/webhooks/endpoints'), 'Webhooks')
export const NewWebhook = lateScreen(
  styled(() => import('../pages/settings/webhooks/new'), developersStyle),
  'NewWebhook',
)
export const Webhook = lateScreen(
  styled(() => import('../pages/settings/webhooks/endpoint'), panelStyle, developersStyle),
  'Webhook',
)
export const WebhookDeliveries = lateScreen(
  styled(
    () => import('../pages/settings/webhooks/deliveries'),
    ...[tablesStyle, tasksStyle, developersStyle],
  ),
  'WebhookDeliveries',
)
export const WebhookDelivery = lateScreen(
  styled(() => import('../pages/settings/webhooks/delivery'), panelStyle, developersStyle),
  'WebhookDelivery',
)
export const Incoming = lateScreen(
  styled(() => import('../pages/settings/incoming/incoming'), tablesStyle, developersStyle),
  'Incoming',
)
export const IncomingEvent = lateScreen(
  styled(() => import('../pages/settings/incoming/event'), developersStyle),
  'IncomingEvent',
)
export const Queue = lateScreen(
  styled(() => import('../pages/settings/queue/queue'), tablesStyle),
  'Queue',
)
export const Tags = lateScreen(() => import('../pages/settings/tags'), 'Tags')
export const CannedResponses = lateScreen(
  styled(() => import('../pages/settings/canned-responses'), phoneStyle, numberStyle),
  'CannedResponses',
)
export const CustomFields = lateScreen(
  () => import('../pages/settings/fields/fields'),
  'CustomFields',
)
export const CustomActions = lateScreen(
  () => import('../pages/settings/actions/actions'),
  'CustomActions',
)
const customAction = styled(() => import('../pages/settings/actions/action'), developersStyle)
export const NewAction = lateScreen(customAction, 'NewAction')
export const ActionPage = lateScreen(customAction, 'ActionPage')
export const ConsentWords = lateScreen(
  () => import('../pages/settings/data/consent'),
  'ConsentWords',
)
export const Retention = lateScreen(() => import('../pages/settings/data/retention'), 'Retention')
export const Privacy = lateScreen(
  styled(() => import('../pages/settings/data/privacy'), tablesStyle),
  'Privacy',
)
export const PrivacyRequestPage = lateScreen(
  () => import('../pages/settings/data/privacy-request'),
  'PrivacyRequestPage',
)
export const Exports = lateScreen(() => import('../pages/settings/data/exports'), 'Exports')
export const Archives = lateScreen(() => import('../pages/settings/data/archives'), 'Archives')
export const SignInRules = lateScreen(
  () => import('../pages/settings/sign-in-rules'),
  'SignInRules',
)
export const Audit = lateScreen(
  styled(() => import('../pages/settings/audit/audit'), tablesStyle),
  'Audit',
)
