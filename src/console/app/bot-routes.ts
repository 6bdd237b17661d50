import { createRoute } from '@tanstack/react-router'

import { botSearch, rulesSearch, sessionsSearch, sourceSearch } from './bot-search'
import * as screens from './bot-screens'
import { flowSearch, flowsSearch } from './flow-search'
import { root } from './root-route'

const bot = createRoute({
  getParentRoute: () => root,
  path: '/bot',
  component: screens.BotArea,
})
const overview = createRoute({
  getParentRoute: () => bot,
  path: '/',
  validateSearch: botSearch,
  component: screens.BotOverview,
})
const rules = createRoute({
  getParentRoute: () => bot,
  path: 'rules',
  validateSearch: rulesSearch,
  component: screens.BotRules,
})
const rule = createRoute({
  getParentRoute: () => bot,
  path: 'rules/$ruleId',
  component: screens.BotRule,
})
const flows = createRoute({
  getParentRoute: () => bot,
  path: 'flows',
  validateSearch: flowsSearch,
  component: screens.BotFlows,
})
const ai = createRoute({
  getParentRoute: () => bot,
  path: 'ai',
  validateSearch: botSearch,
  component: screens.BotAi,
})
const source = createRoute({
  getParentRoute: () => bot,
  path: 'ai/$sourceId',
  validateSearch: sourceSearch,
  component: screens.BotSource,
})
const sessions = createRoute({
  getParentRoute: () => bot,
  path: 'sessions',
  validateSearch: sessionsSearch,
  component: screens.BotSessions,
})
const session = createRoute({
  getParentRoute: () => bot,
  path: 'sessions/$sessionId',
  component: screens.BotSession,
})
const compliance = createRoute({
  getParentRoute: () => bot,
  path: 'compliance',
  component: screens.BotCompliance,
})

/** The screens about the bot, each with its address. */
export const botRoutes = bot.addChildren([
  overview,
  rules,
  rule,
  flows,
  ai,
  source,
  sessions,
  session,
  compliance,
])

/** The editor of a bot flow, which takes the whole page. */
export const flowRoute = createRoute({
  getParentRoute: () => root,
  path: '/bot/flows/$flowId',
  validateSearch: flowSearch,
  component: screens.FlowEditor,
})
