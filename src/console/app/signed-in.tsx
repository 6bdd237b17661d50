import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'

import { currentSession, onLeave, onSession } from '../api/session'
import type { Me } from '../api/shapes'
import { LineProvider } from '../live/line'
import { OutboxProvider } from '../live/outbox-context'
import { createQueryClient } from '../live/query'
import { dropRefreshes } from '../live/refresh'
import { fillFromStart } from '../live/start'
import { createConsoleRouter } from './router'

const client = createQueryClient()
const router = createConsoleRouter(client)
/** Loads the page of the address while the frame around it is still drawn. */
const loadFirst = (): void => {
  const session = currentSession()
  if (session.phase !== 'signed-in' || session.me.must_change_password) return
  stopWaiting()
  router.load().catch(() => undefined)
}
onSession(() => {
  fillFromStart(client)
})
const stopWaiting = onSession(loadFirst)
fillFromStart(client)
loadFirst()
onLeave(() => {
  dropRefreshes(client)
  client.clear()
})

/** All pages for the signed-in user, with the line to the server and the outbox. */
export function SignedIn({ me }: { me: Me }) {
  return (
    <QueryClientProvider client={client}>
      <LineProvider key={me.organization_id}>
        <OutboxProvider>
          <RouterProvider router={router} />
        </OutboxProvider>
      </LineProvider>
    </QueryClientProvider>
  )
}
