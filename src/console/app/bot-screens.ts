import { lazyRouteComponent } from '@tanstack/react-router'

import { styled } from '../parts/styled'
import areaStyle from '../styles/late/area.css'
import botStyle from '../styles/late/bot.css'
import flowStyle from '../styles/late/flow.css'
import importStyle from '../styles/late/import.css'
import pagesStyle from '../styles/late/pages.css'
import panelStyle from '../styles/late/panel.css'
import phoneStyle from '../styles/late/phone.css'
import settingsStyle from '../styles/late/settings.css'
import tablesStyle from '../styles/late/tables.css'
import tasksStyle from '../styles/late/tasks.css'

// The screens about the bot, whose code and styles are loaded when they are opened.

export const BotArea = lazyRouteComponent(
  styled(
    () => import('../pages/bot/area'),
    ...[areaStyle, pagesStyle, botStyle, phoneStyle, tablesStyle, importStyle, settingsStyle],
    ...[tasksStyle, panelStyle],
  ),
  'BotArea',
)
export const BotOverview = lazyRouteComponent(() => import('../pages/bot/overview'), 'Overview')
export const BotRules = lazyRouteComponent(() => import('../pages/bot/rules/rules'), 'Rules')
export const BotRule = lazyRouteComponent(() => import('../pages/bot/rules/rule'), 'Rule')
export const BotAi = lazyRouteComponent(() => import('../pages/bot/ai/ai'), 'Ai')
export const BotSource = lazyRouteComponent(() => import('../pages/bot/ai/source'), 'Source')
export const BotSessions = lazyRouteComponent(
  () => import('../pages/bot/sessions/sessions'),
  'Sessions',
)
export const BotSession = lazyRouteComponent(
  () => import('../pages/bot/sessions/session'),
  'Session',
)
export const BotCompliance = lazyRouteComponent(
  () => import('../pages/bot/compliance'),
  'Compliance',
)
export const BotFlows = lazyRouteComponent(
  styled(() => import('../pages/flow/flows'), ...[tablesStyle, importStyle, flowStyle]),
  'Flows',
)
export const FlowEditor = lazyRouteComponent(
  styled(
    () => import('../pages/flow/flow-editor'),
    ...[pagesStyle, settingsStyle, importStyle, panelStyle, phoneStyle, flowStyle],
  ),
  'FlowEditor',
)
