import { Elysia } from 'elysia'

import { metricsSources, type Program } from './container'
import { answerDirectly } from './http/raw-route'
import { docsRoutes, openApiDocument } from './http/docs'
import { errorMapper } from './http/error-mapper'
import { assertEveryRouteIsGuarded } from './http/guard'
import { homeRoutes } from './http/home'
import { requestHooks } from './http/hooks'
import { idPlacesOf } from './http/normalize-ids'
import { withRequestTimeout } from './http/request-timeout'
import { creatingRoutesOf } from './http/idempotency'
import type { OpenApiDocument } from './http/openapi/repair'
import { pageRoutes } from './http/link-pages'
import { patternsOf } from './http/route-patterns'
import { accountRoutes } from './modules/accounts/routes'
import { connectionRoutes } from './modules/accounts/connection/routes'
import { flowKeyRoutes } from './modules/accounts/flow-key/routes'
import { profileRoutes } from './modules/accounts/profile/routes'
import { signupRoutes } from './modules/accounts/signup/routes'
import { accountWebhookRoutes } from './modules/accounts/webhooks/routes'
import { apiKeyRoutes } from './modules/api-keys/routes'
import { auditRoutes } from './modules/audit/routes'
import { authRoutes, logoutRoutes, ticketAndResetRoutes } from './modules/auth/routes'
import { managedAccessRoutes } from './modules/auth/admin-access/routes'
import { analyticsRoutes } from './modules/analytics/routes'
import { meRoutes, ownAccessRoutes } from './modules/auth/me/routes'
import { campaignPartRoutes, campaignRoutes } from './modules/campaigns/routes'
import { recipientRoutes } from './modules/campaigns/recipients/routes'
import { campaignResultRoutes, campaignSteeringRoutes } from './modules/campaigns/run/routes'
import { consentRoutes } from './modules/contacts/consent/routes'
import { attributeRoutes } from './modules/contacts/attributes/routes'
import { cannedResponseRoutes, cannedResponseUseRoutes } from './modules/canned-responses/routes'
import { contactRecordRoutes, personalRequestRoutes } from './modules/contact-operations/routes'
import { privacyRoutes } from './modules/privacy/routes'
import { retentionRoutes } from './modules/retention/routes'
import {
  contactRoutes,
  contactStateRoutes,
  segmentContactRoutes,
  tagDeletionRoutes,
} from './modules/contacts/routes'
import { assignmentRoutes, conversationRoutes } from './modules/conversations/routes'
import { exportRoutes, exportsRoutes } from './modules/exports/routes'
import { transcriptRoutes } from './modules/exports/transcripts/routes'
import { importRoutes, importsRoutes } from './modules/imports/routes'
import { flowRoutes, flowWorkRoutes, platformFlowRoutes } from './modules/flows/routes'
import { flowEndpointRoutes } from './modules/flows/endpoint/routes'
import { directDeliveries, inboundRoutes, webhookRoutes } from './modules/inbound/routes'
import { mediaLinkRoutes, mediaRoutes, uploadRoutes } from './modules/media/routes'
import { contactMessageRoutes, messageRoutes } from './modules/messages/routes'
import {
  sendingRoutes,
  templateSendingRoutes,
  templateTestRoutes,
} from './modules/messages/outbound/routes'
import { conversationMessageRoutes, readingRoutes } from './modules/messages/conversation/routes'
import { messageActionRoutes } from './modules/messages/actions/routes'
import { outboxControlRoutes, outboxRoutes } from './modules/messages/send-queue/routes'
import { notificationRoutes } from './modules/notifications/routes'
import { organizationRoutes } from './modules/organizations/routes'
import { searchRoutes } from './modules/search/routes'
import { segmentRoutes } from './modules/segments/routes'
import { settingsRoutes } from './modules/organizations/settings/routes'
import { ownRoutes, userRoutes } from './modules/members/users/routes'
import { invitationRoutes, registrationRoutes } from './modules/members/registration/routes'
import { memberRoutes } from './modules/members/routes'
import { noteRoutes } from './modules/notes/routes'
import { realtimeRoutes, SOCKET_LIMITS } from './modules/realtime/routes'
import { priceRoutes } from './modules/prices/routes'
import { permissionRoutes, roleRoutes } from './modules/roles/routes'
import { PERMISSIONS } from './modules/roles/catalog'
import { tagRoutes } from './modules/tags/routes'
import { templateChangeRoutes, templateRoutes, templateUseRoutes } from './modules/templates/routes'
import { adminRoutes, healthRoutes, jobRoutes, metricsRoutes } from './modules/system/routes'
import { backupRoutes } from './modules/system/backups/routes'

/**
 * Bun's own limit stands far above ours, bytes: beyond it a body is cut off without an envelope.
 */
const BODY_CEILING = 1024 * 1024 * 1024

/**
 * The HTTP and WebSocket server over a program: hooks and error mapping first, then every
 * controller. Throws when a route does not say who may call it.
 */
export function createApp(program: Program) {
  const { http } = program
  let document: Promise<OpenApiDocument> | null = null
  // From an app of its own: one that was handed to another app no longer knows its server, and its
  // sockets are refused.
  const describe = (): Promise<OpenApiDocument> =>
    (document ??= openApiDocument(compose(program, describe) as unknown as Elysia, {
      version: http.version,
      baseUrl: http.settings.baseUrl,
    })) // only its routes are read
  const app = compose(program, describe)
  assertEveryRouteIsGuarded(app.routes, PERMISSIONS)
  for (const [path, shape] of creatingRoutesOf(app.routes)) http.creatingRoutes.set(path, shape)
  for (const [route, places] of idPlacesOf(app.routes)) http.idPlaces.set(route, places)
  http.patterns.splice(0, Infinity, ...patternsOf(app.routes))
  const deliveries = directDeliveries(http, program.desk)
  app.config.serve = {
    ...app.config.serve,
    routes: {
      [deliveries.path]: {
        POST: answerDirectly(http, deliveries, (request) => app.fetch(request)),
      },
    },
  }
  return { app, describe }
}

/** Who somebody is: signing in, the own account, keys of programs. */
const identityArea = ({ http, auth }: Program) =>
  new Elysia()
    .use(authRoutes(http, auth))
    .use(logoutRoutes(http, auth))
    .use(ticketAndResetRoutes(http, auth))
    .use(meRoutes(http, auth))
    .use(ownAccessRoutes(http, auth))
    .use(managedAccessRoutes(http))
    .use(notificationRoutes(http))
    .use(ownRoutes(http))
    .use(registrationRoutes(http, auth))
    .use(apiKeyRoutes(http))

/** Who belongs to an organization and may do what there. */
const organizationArea = ({ http, auth }: Program) =>
  new Elysia()
    .use(userRoutes(http, auth))
    .use(memberRoutes(http))
    .use(invitationRoutes(http))
    .use(organizationRoutes(http))
    .use(settingsRoutes(http))
    .use(permissionRoutes(http))
    .use(roleRoutes(http))
    .use(auditRoutes(http))

/** The phone numbers of an organization. */
const accountArea = ({ http }: Program) =>
  new Elysia()
    .use(accountRoutes(http))
    .use(connectionRoutes(http))
    .use(accountWebhookRoutes(http))
    .use(profileRoutes(http))
    .use(flowKeyRoutes(http))
    .use(signupRoutes(http))

/** Its customers, in lists and in files. */
const contactArea = ({ http }: Program) =>
  new Elysia()
    .use(tagRoutes(http))
    .use(tagDeletionRoutes(http))
    .use(contactRoutes(http))
    .use(contactStateRoutes(http))
    .use(contactRecordRoutes(http))
    .use(personalRequestRoutes(http))
    .use(privacyRoutes(http))
    .use(retentionRoutes(http))
    .use(consentRoutes(http))
    .use(attributeRoutes(http))
    .use(importRoutes(http))
    .use(importsRoutes(http))
    .use(exportRoutes(http))
    .use(exportsRoutes(http))
    .use(segmentRoutes(http))
    .use(segmentContactRoutes(http))

/** What people work in: conversations, and what stands beside them. */
const inboxArea = ({ http }: Program) =>
  new Elysia()
    .use(searchRoutes(http))
    .use(noteRoutes(http))
    .use(cannedResponseRoutes(http))
    .use(cannedResponseUseRoutes(http))
    .use(assignmentRoutes(http))
    .use(conversationRoutes(http))
    .use(conversationMessageRoutes(http))
    .use(transcriptRoutes(http))
    .use(readingRoutes(http))

/** What is said: messages, the files in them, and what waits to be sent. */
const messageArea = ({ http }: Program) =>
  new Elysia()
    .use(contactMessageRoutes(http))
    .use(messageRoutes(http))
    .use(messageActionRoutes(http))
    .use(outboxRoutes(http))
    .use(outboxControlRoutes(http))
    .use(sendingRoutes(http))
    .use(templateSendingRoutes(http))
    .use(templateTestRoutes(http))
    .use(uploadRoutes(http))
    .use(mediaRoutes(http))
    .use(mediaLinkRoutes(http))

/** What reaches customers at any time: messages the platform approves first. */
const campaignArea = ({ http }: Program) =>
  new Elysia()
    .use(templateRoutes(http))
    .use(templateChangeRoutes(http))
    .use(templateUseRoutes(http))
    .use(priceRoutes(http))
    .use(flowRoutes(http))
    .use(flowWorkRoutes(http))
    .use(platformFlowRoutes(http))
    .use(flowEndpointRoutes(http))
    .use(campaignRoutes(http))
    .use(campaignPartRoutes(http))
    .use(campaignResultRoutes(http))
    .use(campaignSteeringRoutes(http))
    .use(recipientRoutes(http))

/** What the platform calls, what runs behind, and what is told of it. */
function systemArea(program: Program) {
  const { http } = program
  return new Elysia()
    .use(webhookRoutes(http, program.desk))
    .use(inboundRoutes(http))
    .use(jobRoutes(http, program.registry.schedules))
    .use(healthRoutes(http, program.lifecycle))
    .use(metricsRoutes(http, metricsSources(program)))
    .use(adminRoutes(http, metricsSources(program)))
    .use(backupRoutes(http))
    .use(analyticsRoutes(http))
    .use(realtimeRoutes(http, program.realtime))
}

/**
 * The whole server: the hooks of every request, then the areas of the product, each with its
 * controllers.
 */
function compose(program: Program, describe: () => Promise<OpenApiDocument>) {
  const { http } = program
  return new Elysia({
    websocket: SOCKET_LIMITS,
    // otherwise hosts of less than four characters lose every route with an id
    handler: { standardHostname: false },
    serve: {
      maxRequestBodySize: BODY_CEILING,
      development: false, // otherwise Bun answers what nobody caught with a page that shows sources
      reusePort: false, // Elysia's default lets two servers share a port: a taken one would go unnoticed
    },
  })
    .wrap(withRequestTimeout(http))
    .use(errorMapper(http))
    .use(requestHooks(http))
    .use(identityArea(program))
    .use(organizationArea(program))
    .use(accountArea(program))
    .use(contactArea(program))
    .use(inboxArea(program))
    .use(messageArea(program))
    .use(campaignArea(program))
    .use(systemArea(program))
    .use(docsRoutes(http, describe))
    .use(pageRoutes(http))
    .use(homeRoutes(http))
}
