import { useEffect } from 'react'

import { announceDialogEnd } from '../../live/signup-dialog'
import { Empty } from '../../parts/state'
import { t } from '../../texts/texts'

/** The page that the platform's signup dialog leads to. It passes the code on and closes. */
export function ConnectDone() {
  useEffect(() => {
    announceDialogEnd()
    globalThis.close()
  }, [])
  return (
    <main className="sign-in">
      <Empty icon="check" title={t('sign-in.connect.done')} hint={t('sign-in.connect.hint')} />
    </main>
  )
}
