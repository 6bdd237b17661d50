import { Outlet, useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'

import { useLine } from '../live/line'
import { onPushOpened } from '../live/push'
import { NavigationProvider } from '../parts/providers'
import { report } from '../parts/toast'
import { t } from '../texts/texts'
import { useAlerts } from './alerts'
import { Palette } from './palette'
import { Rail } from './rail'

/** Time without a connection after which the page says so, milliseconds. */
const PATIENCE_MS = 3_000

/** Whether the line has been down for so long that a person should know. */
function useIsCutOff(): boolean {
  // each attempt to connect changes the state, and must not begin the wait anew
  const isLive = useLine().state === 'live'
  const [isCutOff, setCutOff] = useState(false)
  useEffect(() => {
    if (isLive) {
      setCutOff(false)
      return
    }
    const timer = setTimeout(() => {
      setCutOff(true)
    }, PATIENCE_MS)
    return () => {
      clearTimeout(timer)
    }
  }, [isLive])
  return isCutOff && !isLive
}

/** The frame around all pages: navigation, state of the connection, the page. */
export function Shell() {
  const router = useRouter()
  const isCutOff = useIsCutOff()
  useAlerts()
  useEffect(
    () =>
      onPushOpened((link) => {
        if (link.startsWith('/inbox/')) router.navigate({ to: link }).catch(report)
      }),
    [router],
  )
  return (
    <NavigationProvider
      onNavigate={(href) => {
        router.navigate({ to: href }).catch(report)
      }}
    >
      <a className="skip" href="#content">
        {t('shell.nav.skip')}
      </a>
      <Palette />
      <div className="shell">
        <Rail />
        <div className="stage">
          {isCutOff && (
            <p role="status" className="banner">
              {t('shell.line.offline')}
            </p>
          )}
          <Outlet />
        </div>
      </div>
    </NavigationProvider>
  )
}
