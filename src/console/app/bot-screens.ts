import { lateScreen } from '../parts/late'
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

export const BotArea = lateScreen(
  styled(
    () => import('../pages/bot/area'),
    ...[areaStyle, pagesStyle, botStyle, phoneStyle, tablesStyle, importStyle, settingsStyle],
    ...[tasksStyle, panelStyle],
  ),
  'BotArea',
)
export const BotOverview = lateScreen(() => import('../pages/bot/overview'), 'Overview')
export const BotRules = lateScreen(() => import('../pages/bot/rules/rules'), 'Rules')
export const BotRule = lateScreen(() => import('../pages/bot/rules/rule'), 'Rule')
export const BotAi = lateScreen(() => import('../pages/bot/ai/ai'), 'Ai')
export const BotSource = lateScreen(() => import('../pages/bot/ai/source'), 'Source')
export const BotSessions = lateScreen(() => import('../pages/bot/sessions/sessions'), 'Sessions')
export const BotSession = lateScreen(() => import('../pages/bot/sessions/session'), 'Session')
export const BotCompliance = lateScreen(() => import('../pages/bot/compliance'), 'Compliance')
export const BotFlows = lateScreen(
  styled(() => import('../pages/flow/flows'), ...[tablesStyle, importStyle, flowStyle]),
  'Flows',
)
export const FlowEditor = lateScreen(
  styled(
    () => import('../pages/flow/flow-editor'),
    ...[pagesStyle, settingsStyle, importStyle, panelStyle, phoneStyle, flowStyle],
  ),
  'FlowEditor',
)
