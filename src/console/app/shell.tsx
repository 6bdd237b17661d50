import { Outlet, useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'

import { useLine } from '../live/line'
import { onPushOpened } from '../live/push'
import { usePauseLeft } from '../live/use-pause'
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

/** Says why nothing new arrives: the person asked too often, or there is no connection. */
function Banner() {
  const isCutOff = useIsCutOff()
  const pauseS = usePauseLeft()
  if (pauseS > 0)
    return (
      <p role="timer" className="banner">
        {t('parts.error.rate_limited', { seconds: pauseS })}
      </p>
    )
  if (!isCutOff) return null
  return (
    <p role="status" className="banner">
      {t('shell.line.offline')}
    </p>
  )
}

/** The frame around all pages: navigation, state of the connection, the page. */
export function Shell() {
  const router = useRouter()
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
          <Banner />
          <Outlet />
        </div>
      </div>
    </NavigationProvider>
  )
}
