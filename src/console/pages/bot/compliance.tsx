import { Guarded } from '../../parts/loaded'
import { Page } from '../../parts/page'
import { t } from '../../texts/texts'

/** The screen at `/bot/compliance`. */
export const Compliance = () => (
  <Page title={t('shell.bot.compliance')}>
    <Guarded needs="settings:read">{null}</Guarded>
  </Page>
)
