import { Elysia } from 'elysia'

import { Ok, ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { dismissSetup } from '../../../organization/organizations/dismiss-setup'
import type { Lifecycle } from '../readiness'
import { SetupChange, SetupView } from './model'
import { setupOf } from './queries'

/** Routes for the checklist of a new organization. */
export const setupRoutes = (http: Http, lifecycle: Lifecycle) => {
  const placeOf = ({ headers }: Request) => ({
    host: headers.get('host'),
    dataDir: lifecycle.dataDir,
  })
  return new Elysia({ prefix: '/api/setup', tags: ['Organizations'] })
    .use(guard(http))
    .get('', ({ ctx, request }) => ok(setupOf(ctx, placeOf(request))), {
      can: { permission: ['settings:update', 'accounts:update'] },
      response: { 200: Ok(SetupView) },
      detail: {
        operationId: 'getSetup',
        summary: 'Get the first steps',
        description:
          'What a new organization needs, and which of it is done. Without `settings:update` only ' +
          'the steps that the caller can do. Super admins also see what the installation needs.',
      },
    })
    .put(
      '',
      ({ ctx, body, request }) => {
        dismissSetup(ctx, body.dismissed)
        return ok(setupOf(ctx, placeOf(request)))
      },
      {
        can: 'settings:update',
        body: SetupChange,
        response: { 200: Ok(SetupView) },
        detail: {
          operationId: 'updateSetup',
          summary: 'Hide the first steps',
          description: 'Hides the checklist for the whole organization, or shows it again.',
        },
      },
    )
}
