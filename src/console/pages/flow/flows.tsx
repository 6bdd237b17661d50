import { Guarded } from '../../parts/loaded'
import { Page } from '../../parts/page'
import { t } from '../../texts/texts'

/** The screen at `/bot/flows`. */
export const Flows = () => (
  <Page title={t('shell.bot.flows')}>
    <Guarded needs="flows:read">{null}</Guarded>
  </Page>
)
