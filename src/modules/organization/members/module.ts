import type { Http } from '../../../http/http-deps'
import { startPart } from '../../../http/start-parts'
import type { Module } from '../../../http/module'
import { carried, left } from '../../../infra/table-fates'
import type { AuthParts } from '../auth/issue-tokens'
import { colleagueRoutes } from './colleagues/routes'
import { ownRoutes, userRoutes } from './users/routes'
import { registrationRoutes, invitationRoutes } from './registration/routes'
import { managedAccessRoutes } from './access/routes'
import { memberRoutes } from './routes'
import { invitations, memberBreaks, memberRemovals } from './table'
import { OwnOrganizations } from './model'
import { listOwnOrganizations } from './queries'

export const membersModule: Module<{ http: Http; auth: AuthParts }> = {
  name: 'members',
  tables: [
    carried(invitations),
    carried(memberBreaks),
    left(memberRemovals, 'who was removed here', { moving: 'true' }),
  ],
  startParts: () => [
    startPart({
      name: 'organizations',
      schema: OwnOrganizations,
      read: (ctx) => listOwnOrganizations(ctx, null),
    }),
  ],
  routes: ({ http, auth }) => [
    ownRoutes(http),
    userRoutes(http, auth),
    registrationRoutes(http, auth),
    invitationRoutes(http),
    memberRoutes(http),
    managedAccessRoutes(http),
    colleagueRoutes(http),
  ],
}
