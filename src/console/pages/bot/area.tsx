import { Outlet } from '@tanstack/react-router'

import { Area } from '../../parts/area'
import { t } from '../../texts/texts'
import { BOT_SCREENS } from './sections'

/** The frame of the screens about the bot. */
export const BotArea = () => (
  <Area title={t('shell.nav.bot')} screens={BOT_SCREENS}>
    <Outlet />
  </Area>
)
