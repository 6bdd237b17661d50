import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'

import { onLeave } from '../api/session'
import type { Me } from '../api/shapes'
import { LineProvider } from '../live/line'
import { OutboxProvider } from '../live/outbox-context'
import { createQueryClient } from '../live/query'
import { dropRefreshes } from '../live/refresh'
import { createConsoleRouter } from './router'

const client = createQueryClient()
const router = createConsoleRouter()
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
