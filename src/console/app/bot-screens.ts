import { lazyRouteComponent } from '@tanstack/react-router'

import { styled } from '../parts/styled'
import areaStyle from '../styles/late/area.css'
import botStyle from '../styles/late/bot.css'
import pagesStyle from '../styles/late/pages.css'
import phoneStyle from '../styles/late/phone.css'

// The screens about the bot, whose code and styles are loaded when they are opened.

export const BotArea = lazyRouteComponent(
  styled(() => import('../pages/bot/area'), ...[areaStyle, pagesStyle, botStyle, phoneStyle]),
  'BotArea',
)
export const BotOverview = lazyRouteComponent(() => import('../pages/bot/overview'), 'Overview')
export const BotRules = lazyRouteComponent(() => import('../pages/bot/rules'), 'Rules')
export const BotAi = lazyRouteComponent(() => import('../pages/bot/ai'), 'Ai')
export const BotSessions = lazyRouteComponent(() => import('../pages/bot/sessions'), 'Sessions')
export const BotCompliance = lazyRouteComponent(
  () => import('../pages/bot/compliance'),
  'Compliance',
)
export const BotFlows = lazyRouteComponent(() => import('../pages/flow/flows'), 'Flows')
