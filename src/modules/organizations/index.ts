import { Elysia } from 'elysia'

import { Ok, ok } from '../../http/envelope'
import { guard } from '../../http/guard'
import type { Http } from '../../http/http'
import { OrganizationView } from './model'
import { getOrganization, organizationView } from './service'

/** Organizations (spec 4.2). */
export const organizationRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/organizations', tags: ['Organizations'] })
    .use(guard(http))
    .get('/current', ({ ctx }) => ok(organizationView(getOrganization(ctx))), {
      self: 'signed-in',
      response: { 200: Ok(OrganizationView) },
      detail: { summary: 'The current organization', description: 'The organization of the token or of the API key.' },
    })
