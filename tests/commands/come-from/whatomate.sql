--
-- PostgreSQL database dump
--

\restrict YESZ5Ug2YQRLVEbFCp9X90hhFl5f5sJ936qkXOsyQ6ZXejKrP4NVsxP0mKiFW4W

-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: agent_transfers; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.agent_transfers (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    created_at timestamp with time zone,
    updated_at timestamp with time zone,
    deleted_at timestamp with time zone,
    organization_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    whats_app_account character varying(100) NOT NULL,
    phone_number character varying(20) NOT NULL,
    status character varying(20) DEFAULT 'active'::character varying,
    source character varying(20) DEFAULT 'manual'::character varying,
    agent_id uuid,
    transferred_by_user_id uuid,
    notes text,
    transferred_at timestamp with time zone,
    resumed_at timestamp with time zone,
    resumed_by uuid
);


--
-- Name: canned_responses; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.canned_responses (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    created_at timestamp with time zone,
    updated_at timestamp with time zone,
    deleted_at timestamp with time zone,
    organization_id uuid NOT NULL,
    name character varying(100) NOT NULL,
    shortcut character varying(50),
    content text NOT NULL,
    category character varying(50),
    is_active boolean DEFAULT true,
    usage_count bigint DEFAULT 0,
    created_by_id uuid
);


--
-- Name: contacts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.contacts (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    created_at timestamp with time zone,
    updated_at timestamp with time zone,
    deleted_at timestamp with time zone,
    organization_id uuid NOT NULL,
    phone_number character varying(20) NOT NULL,
    profile_name character varying(255),
    whats_app_account character varying(100),
    assigned_user_id uuid,
    last_message_at timestamp with time zone,
    last_message_preview text,
    is_read boolean DEFAULT true,
    tags jsonb DEFAULT '[]'::jsonb,
    metadata jsonb DEFAULT '{}'::jsonb
);


--
-- Name: messages; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.messages (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    created_at timestamp with time zone,
    updated_at timestamp with time zone,
    deleted_at timestamp with time zone,
    organization_id uuid NOT NULL,
    whats_app_account character varying(100) NOT NULL,
    contact_id uuid NOT NULL,
    whatsapp_message_id character varying(255),
    conversation_id character varying(255),
    direction character varying(10) NOT NULL,
    message_type character varying(20) NOT NULL,
    content text,
    media_url text,
    media_mime_type character varying(100),
    media_filename character varying(255),
    template_name character varying(255),
    template_params jsonb,
    interactive_data jsonb,
    flow_response jsonb,
    status character varying(20) DEFAULT 'pending'::character varying,
    error_message text,
    is_reply boolean DEFAULT false,
    reply_to_message_id uuid,
    sent_by_user_id uuid,
    metadata jsonb DEFAULT '{}'::jsonb
);


--
-- Name: organizations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.organizations (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    created_at timestamp with time zone,
    updated_at timestamp with time zone,
    deleted_at timestamp with time zone,
    name character varying(255) NOT NULL,
    slug character varying(100) NOT NULL,
    settings jsonb DEFAULT '{}'::jsonb
);


--
-- Name: templates; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.templates (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    created_at timestamp with time zone,
    updated_at timestamp with time zone,
    deleted_at timestamp with time zone,
    organization_id uuid NOT NULL,
    whats_app_account character varying(100) NOT NULL,
    meta_template_id character varying(100),
    name character varying(255) NOT NULL,
    display_name character varying(255),
    language character varying(10) NOT NULL,
    category character varying(50),
    status character varying(20) DEFAULT 'PENDING'::character varying,
    header_type character varying(20),
    header_content text,
    body_content text NOT NULL,
    footer_content text,
    buttons jsonb DEFAULT '[]'::jsonb,
    sample_values jsonb DEFAULT '[]'::jsonb
);


--
-- Name: users; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.users (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    created_at timestamp with time zone,
    updated_at timestamp with time zone,
    deleted_at timestamp with time zone,
    organization_id uuid,
    email character varying(255) NOT NULL,
    password_hash character varying(255),
    full_name character varying(255),
    role character varying(50) DEFAULT 'agent'::character varying,
    settings jsonb DEFAULT '{}'::jsonb,
    is_active boolean DEFAULT true
);


--
-- Name: whatsapp_accounts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.whatsapp_accounts (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    created_at timestamp with time zone,
    updated_at timestamp with time zone,
    deleted_at timestamp with time zone,
    organization_id uuid NOT NULL,
    name character varying(100) NOT NULL,
    app_id character varying(100),
    phone_id character varying(100) NOT NULL,
    business_id character varying(100) NOT NULL,
    access_token text NOT NULL,
    webhook_verify_token character varying(255),
    api_version character varying(20) DEFAULT 'v21.0'::character varying,
    is_default_incoming boolean DEFAULT false,
    is_default_outgoing boolean DEFAULT false,
    auto_read_receipt boolean DEFAULT false,
    status character varying(20) DEFAULT 'active'::character varying
);


--
-- Data for Name: agent_transfers; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.agent_transfers VALUES ('4509817f-2973-42ad-8c73-ecd0f00ade3a', '2026-12-01 05:10:40.414504+00', '2026-12-01 05:10:40.414504+00', NULL, '60b1a37f-494d-4ce8-b763-6d070680f01b', '2fdafde8-07f3-4768-b1ab-c2eb48655f3f', 'main', '4915110000001', 'active', 'chatbot_disabled', NULL, NULL, '', '2026-12-01 05:10:40.411464+00', NULL, NULL);
INSERT INTO public.agent_transfers VALUES ('b965b927-dd24-4be9-80e0-aa75d21facce', '2026-12-01 05:10:41.625804+00', '2026-12-01 05:10:41.625804+00', NULL, '60b1a37f-494d-4ce8-b763-6d070680f01b', 'a94607de-c3fc-4f51-958d-e47f67d963bb', 'main', '34600000002', 'active', 'chatbot_disabled', NULL, NULL, '', '2026-12-01 05:10:41.625752+00', NULL, NULL);
INSERT INTO public.agent_transfers VALUES ('ee1b88c0-7205-4d96-90f9-8ed2d9860f52', '2026-12-01 05:10:42.258129+00', '2026-12-01 05:10:42.258129+00', NULL, '60b1a37f-494d-4ce8-b763-6d070680f01b', 'cb1d3a0e-5b14-4b9f-98fd-0c2885ee8bae', 'main', '5511900000003', 'active', 'chatbot_disabled', NULL, NULL, '', '2026-12-01 05:10:42.255927+00', NULL, NULL);


--
-- Data for Name: canned_responses; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.canned_responses VALUES ('bb72d4c9-06eb-428d-9e31-75095c80fdab', '2026-12-01 05:10:40.252489+00', '2026-12-01 05:10:40.252489+00', NULL, '60b1a37f-494d-4ce8-b763-6d070680f01b', 'Opening hours', 'hours', 'We''re open 9-18.
See you!', 'general', true, 0, '9b17e41c-3bf6-40dc-acf9-18e605960bdc');
INSERT INTO public.canned_responses VALUES ('046ecfe8-4714-4f7d-8e85-a88fe3ffb11b', '2026-12-01 05:10:40.281477+00', '2026-12-01 05:10:40.281477+00', NULL, '60b1a37f-494d-4ce8-b763-6d070680f01b', 'Thanks', 'thx', 'Thank you; come again \o/', 'general', true, 0, '9b17e41c-3bf6-40dc-acf9-18e605960bdc');


--
-- Data for Name: contacts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.contacts VALUES ('a94607de-c3fc-4f51-958d-e47f67d963bb', '2026-10-02 05:10:41.582608+00', '2026-10-02 05:10:41.9003+00', NULL, '60b1a37f-494d-4ce8-b763-6d070680f01b', '34600000002', 'Pablo <b>Prueba</b>', 'main', NULL, '2026-10-02 05:10:41.887794+00', '[location]', false, '[]', '{}');
INSERT INTO public.contacts VALUES ('cb1d3a0e-5b14-4b9f-98fd-0c2885ee8bae', '2026-10-02 05:10:42.205087+00', '2026-10-02 05:10:42.231757+00', NULL, '60b1a37f-494d-4ce8-b763-6d070680f01b', '5511900000003', 'Çağla 😀', 'main', NULL, '2026-10-02 05:10:42.213057+00', '[document]', false, '[]', '{}');
INSERT INTO public.contacts VALUES ('2fdafde8-07f3-4768-b1ab-c2eb48655f3f', '2026-10-02 05:10:40.334706+00', '2026-10-02 05:10:43.760542+00', NULL, '60b1a37f-494d-4ce8-b763-6d070680f01b', '4915110000001', 'Mia Muster', 'main', NULL, '2026-10-02 05:10:43.754853+00', 'One more thing', false, '["vip", "new customer"]', '{"city": "Berlin"}');
INSERT INTO public.contacts VALUES ('49351815-109e-47fc-9486-c2566c56801e', '2026-10-02 05:11:09.27769+00', '2026-10-02 05:11:09.27769+00', NULL, '60b1a37f-494d-4ce8-b763-6d070680f01b', '0151 broken', 'No Number', 'main', NULL, NULL, NULL, true, '[]', '{}');
INSERT INTO public.contacts VALUES ('ea2835ff-c8a7-4214-9c2f-a7dc5f6f2d0b', '2026-10-02 05:12:19.288953+00', '2026-10-02 05:12:19.288953+00', NULL, 'b05a8f5e-5a6a-43c8-bde8-3f256a8fd005', '4917770000007', 'Not Ours', 'other', NULL, NULL, NULL, true, '[]', '{}');


--
-- Data for Name: messages; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.messages VALUES ('21016f44-0611-471e-a427-92415603ecf7', '2026-10-02 05:10:40.357015+00', '2026-10-02 05:10:40.357015+00', NULL, '60b1a37f-494d-4ce8-b763-6d070680f01b', 'main', '2fdafde8-07f3-4768-b1ab-c2eb48655f3f', 'wamid.IN1', '', 'incoming', 'text', 'Hello, is O''Hara''s order ready?
Thanks; bye', '', '', '', '', NULL, NULL, NULL, 'received', '', false, NULL, NULL, '{}');
INSERT INTO public.messages VALUES ('68698517-5852-4efa-b4b8-99b789201105', '2026-10-02 05:10:40.785574+00', '2026-10-02 05:10:40.785574+00', NULL, '60b1a37f-494d-4ce8-b763-6d070680f01b', 'main', '2fdafde8-07f3-4768-b1ab-c2eb48655f3f', 'wamid.IN2', '', 'incoming', 'image', 'the receipt', 'images/b2341418-8123-4fbb-8ea5-8841140b408e.png', 'image/png', '', '', NULL, NULL, NULL, 'received', '', false, NULL, NULL, '{}');
INSERT INTO public.messages VALUES ('7d3f89e7-f0e9-418f-911d-e520ac675e8e', '2026-10-02 05:10:41.301537+00', '2026-10-02 05:10:41.301537+00', NULL, '60b1a37f-494d-4ce8-b763-6d070680f01b', 'main', '2fdafde8-07f3-4768-b1ab-c2eb48655f3f', 'wamid.IN3', '', 'incoming', 'interactive', 'Yes, please', '', '', '', '', NULL, NULL, NULL, 'received', '', false, NULL, NULL, '{}');
INSERT INTO public.messages VALUES ('29dd3a58-8d88-4786-8cc7-90a2f94b13ee', '2026-10-02 05:10:41.606315+00', '2026-10-02 05:10:41.606315+00', NULL, '60b1a37f-494d-4ce8-b763-6d070680f01b', 'main', 'a94607de-c3fc-4f51-958d-e47f67d963bb', 'wamid.IN4', '', 'incoming', 'text', '<script>alert(1)</script>''); DROP TABLE messages;--', '', '', '', '', NULL, NULL, NULL, 'received', '', false, NULL, NULL, '{}');
INSERT INTO public.messages VALUES ('ab7324fb-4cf2-4638-8e3e-9fb0e00e716c', '2026-10-02 05:10:41.887868+00', '2026-10-02 05:10:41.887868+00', NULL, '60b1a37f-494d-4ce8-b763-6d070680f01b', 'main', 'a94607de-c3fc-4f51-958d-e47f67d963bb', 'wamid.IN5', '', 'incoming', 'location', '', '', '', '', '', NULL, NULL, NULL, 'received', '', false, NULL, NULL, '{}');
INSERT INTO public.messages VALUES ('f946f235-4a02-49b1-89ea-a5bf7c96493b', '2026-10-02 05:10:42.215471+00', '2026-10-02 05:10:42.215471+00', NULL, '60b1a37f-494d-4ce8-b763-6d070680f01b', 'main', 'cb1d3a0e-5b14-4b9f-98fd-0c2885ee8bae', 'wamid.IN6', '', 'incoming', 'document', '', 'documents/b8342e6b-80b6-4a5d-9954-ede62dff9cc4.pdf', 'application/pdf', 'invoice.pdf', '', NULL, NULL, NULL, 'received', '', false, NULL, NULL, '{}');
INSERT INTO public.messages VALUES ('7f429ca2-4305-439c-a269-2297fb4921ad', '2026-10-02 05:10:42.770262+00', '2026-10-02 05:10:43.531294+00', NULL, '60b1a37f-494d-4ce8-b763-6d070680f01b', 'main', '2fdafde8-07f3-4768-b1ab-c2eb48655f3f', 'wamid.OUT1', '', 'outgoing', 'text', 'Yes, it is ready.', '', '', '', '', NULL, NULL, NULL, 'read', '', false, NULL, '9b17e41c-3bf6-40dc-acf9-18e605960bdc', '{}');
INSERT INTO public.messages VALUES ('fe994bab-90c1-4143-9f89-ba696fdc75d6', '2026-10-02 05:10:43.746163+00', '2026-10-02 05:10:44.303379+00', NULL, '60b1a37f-494d-4ce8-b763-6d070680f01b', 'main', '2fdafde8-07f3-4768-b1ab-c2eb48655f3f', 'wamid.OUT2', '', 'outgoing', 'text', 'One more thing', '', '', '', '', NULL, NULL, NULL, 'failed', 'Message undeliverable', false, NULL, '9b17e41c-3bf6-40dc-acf9-18e605960bdc', '{}');
INSERT INTO public.messages VALUES ('06f1377d-935b-49ca-ac33-f1e3b9a1388b', '2026-10-02 05:11:09.299205+00', '2026-10-02 05:11:09.299205+00', NULL, '60b1a37f-494d-4ce8-b763-6d070680f01b', 'main', '2fdafde8-07f3-4768-b1ab-c2eb48655f3f', 'wamid.OUT3', NULL, 'outgoing', 'template', 'Your order 12 is ready.', NULL, NULL, NULL, 'order_ready', NULL, NULL, NULL, 'delivered', NULL, false, NULL, NULL, '{}');
INSERT INTO public.messages VALUES ('b4ed2f80-2e72-45c0-8459-22efa36a7f10', '2026-10-02 05:12:19.311217+00', '2026-10-02 05:12:19.311217+00', NULL, 'b05a8f5e-5a6a-43c8-bde8-3f256a8fd005', 'other', 'ea2835ff-c8a7-4214-9c2f-a7dc5f6f2d0b', 'wamid.OTHER1', NULL, 'incoming', 'text', 'for the other tenant', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'received', NULL, false, NULL, NULL, '{}');


--
-- Data for Name: organizations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.organizations VALUES ('60b1a37f-494d-4ce8-b763-6d070680f01b', '2026-12-01 05:10:39.616816+00', '2026-12-01 05:10:39.616816+00', NULL, 'Fixture Shop', 'fixture-shop-b59086fb', '{}');
INSERT INTO public.organizations VALUES ('b05a8f5e-5a6a-43c8-bde8-3f256a8fd005', '2026-12-01 05:11:08.347835+00', '2026-12-01 05:11:08.347835+00', NULL, 'Other Tenant', 'other-tenant-e0be3927', '{}');


--
-- Data for Name: templates; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.templates VALUES ('5c90473d-45f4-40f6-8b40-714f54ac0397', '2026-12-01 05:10:40.294171+00', '2026-12-01 05:10:40.294171+00', NULL, '60b1a37f-494d-4ce8-b763-6d070680f01b', 'main', '', 'order_ready', 'Order ready', 'en', 'UTILITY', 'DRAFT', '', '', 'Your order {{1}} is ready.', '', '[]', '[]');


--
-- Data for Name: users; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.users VALUES ('9b17e41c-3bf6-40dc-acf9-18e605960bdc', '2026-12-01 05:10:39.618452+00', '2026-12-01 05:10:39.618452+00', NULL, '60b1a37f-494d-4ce8-b763-6d070680f01b', 'owner@fixture.example', 'x', 'Olga Owner', 'admin', '{}', true);
INSERT INTO public.users VALUES ('61b5cd09-2921-411d-b8a2-f2d842f193b0', '2026-12-01 05:10:40.186384+00', '2026-12-01 05:10:40.186384+00', NULL, '60b1a37f-494d-4ce8-b763-6d070680f01b', 'anna@fixture.example', 'x', 'Anna Agent', 'agent', '{}', true);
INSERT INTO public.users VALUES ('c0a2bbc2-7f10-4180-b7be-a32cfa643b67', '2026-12-01 05:11:08.349278+00', '2026-12-01 05:11:08.349278+00', NULL, 'b05a8f5e-5a6a-43c8-bde8-3f256a8fd005', 'other@fixture.example', 'x', 'Otto Other', 'admin', '{}', true);


--
-- Data for Name: whatsapp_accounts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.whatsapp_accounts VALUES ('85d60218-7a67-4677-a127-f28325a05095', '2026-12-01 05:10:40.216914+00', '2026-12-01 05:10:40.216914+00', NULL, '60b1a37f-494d-4ce8-b763-6d070680f01b', 'main', '1', '106540352242922', '102290129340398', 'none', 'none', 'v21.0', true, true, false, 'active');
INSERT INTO public.whatsapp_accounts VALUES ('ecf3a5e3-a4ae-4185-aff1-90393a2f679b', '2026-12-01 05:12:19.23659+00', '2026-12-01 05:12:19.23659+00', NULL, 'b05a8f5e-5a6a-43c8-bde8-3f256a8fd005', 'other', NULL, '206540352242922', '202290129340398', 'none', NULL, 'v21.0', false, false, false, 'active');


--
-- Name: agent_transfers agent_transfers_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.agent_transfers
    ADD CONSTRAINT agent_transfers_pkey PRIMARY KEY (id);


--
-- Name: canned_responses canned_responses_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.canned_responses
    ADD CONSTRAINT canned_responses_pkey PRIMARY KEY (id);


--
-- Name: contacts contacts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contacts
    ADD CONSTRAINT contacts_pkey PRIMARY KEY (id);


--
-- Name: messages messages_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_pkey PRIMARY KEY (id);


--
-- Name: organizations organizations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.organizations
    ADD CONSTRAINT organizations_pkey PRIMARY KEY (id);


--
-- Name: templates templates_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.templates
    ADD CONSTRAINT templates_pkey PRIMARY KEY (id);


--
-- Name: users users_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);


--
-- Name: whatsapp_accounts whatsapp_accounts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.whatsapp_accounts
    ADD CONSTRAINT whatsapp_accounts_pkey PRIMARY KEY (id);


--
-- Name: idx_agent_transfers_active; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_agent_transfers_active ON public.agent_transfers USING btree (organization_id, phone_number, status);


--
-- Name: idx_agent_transfers_contact_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_agent_transfers_contact_id ON public.agent_transfers USING btree (contact_id);


--
-- Name: idx_agent_transfers_deleted_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_agent_transfers_deleted_at ON public.agent_transfers USING btree (deleted_at);


--
-- Name: idx_agent_transfers_organization_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_agent_transfers_organization_id ON public.agent_transfers USING btree (organization_id);


--
-- Name: idx_agent_transfers_whats_app_account; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_agent_transfers_whats_app_account ON public.agent_transfers USING btree (whats_app_account);


--
-- Name: idx_canned_responses_active; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_canned_responses_active ON public.canned_responses USING btree (organization_id, is_active, usage_count DESC);


--
-- Name: idx_canned_responses_deleted_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_canned_responses_deleted_at ON public.canned_responses USING btree (deleted_at);


--
-- Name: idx_canned_responses_org_name; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_canned_responses_org_name ON public.canned_responses USING btree (organization_id, name);


--
-- Name: idx_canned_responses_organization_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_canned_responses_organization_id ON public.canned_responses USING btree (organization_id);


--
-- Name: idx_canned_responses_shortcut; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_canned_responses_shortcut ON public.canned_responses USING btree (shortcut);


--
-- Name: idx_contacts_account; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_contacts_account ON public.contacts USING btree (whats_app_account);


--
-- Name: idx_contacts_assigned_read; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_contacts_assigned_read ON public.contacts USING btree (assigned_user_id, is_read);


--
-- Name: idx_contacts_assigned_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_contacts_assigned_user_id ON public.contacts USING btree (assigned_user_id);


--
-- Name: idx_contacts_deleted_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_contacts_deleted_at ON public.contacts USING btree (deleted_at);


--
-- Name: idx_contacts_org_phone; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_contacts_org_phone ON public.contacts USING btree (organization_id, phone_number);


--
-- Name: idx_contacts_organization_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_contacts_organization_id ON public.contacts USING btree (organization_id);


--
-- Name: idx_contacts_whats_app_account; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_contacts_whats_app_account ON public.contacts USING btree (whats_app_account);


--
-- Name: idx_messages_account; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_messages_account ON public.messages USING btree (whats_app_account, created_at DESC);


--
-- Name: idx_messages_contact_created; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_messages_contact_created ON public.messages USING btree (contact_id, created_at DESC);


--
-- Name: idx_messages_contact_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_messages_contact_id ON public.messages USING btree (contact_id);


--
-- Name: idx_messages_conversation; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_messages_conversation ON public.messages USING btree (conversation_id);


--
-- Name: idx_messages_conversation_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_messages_conversation_id ON public.messages USING btree (conversation_id);


--
-- Name: idx_messages_deleted_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_messages_deleted_at ON public.messages USING btree (deleted_at);


--
-- Name: idx_messages_organization_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_messages_organization_id ON public.messages USING btree (organization_id);


--
-- Name: idx_messages_sent_by_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_messages_sent_by_user_id ON public.messages USING btree (sent_by_user_id);


--
-- Name: idx_messages_whats_app_account; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_messages_whats_app_account ON public.messages USING btree (whats_app_account);


--
-- Name: idx_messages_whats_app_message_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_messages_whats_app_message_id ON public.messages USING btree (whatsapp_message_id);


--
-- Name: idx_organizations_deleted_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_organizations_deleted_at ON public.organizations USING btree (deleted_at);


--
-- Name: idx_organizations_slug; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_organizations_slug ON public.organizations USING btree (slug);


--
-- Name: idx_templates_account_name_lang; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_templates_account_name_lang ON public.templates USING btree (whats_app_account, name, language);


--
-- Name: idx_templates_deleted_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_templates_deleted_at ON public.templates USING btree (deleted_at);


--
-- Name: idx_templates_organization_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_templates_organization_id ON public.templates USING btree (organization_id);


--
-- Name: idx_templates_whats_app_account; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_templates_whats_app_account ON public.templates USING btree (whats_app_account);


--
-- Name: idx_users_deleted_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_users_deleted_at ON public.users USING btree (deleted_at);


--
-- Name: idx_users_email; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_users_email ON public.users USING btree (email);


--
-- Name: idx_users_organization_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_users_organization_id ON public.users USING btree (organization_id);


--
-- Name: idx_wa_org_name; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_wa_org_name ON public.whatsapp_accounts USING btree (name);


--
-- Name: idx_whatsapp_accounts_deleted_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_whatsapp_accounts_deleted_at ON public.whatsapp_accounts USING btree (deleted_at);


--
-- Name: idx_whatsapp_accounts_org_phone; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_whatsapp_accounts_org_phone ON public.whatsapp_accounts USING btree (organization_id, phone_id);


--
-- Name: idx_whatsapp_accounts_organization_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_whatsapp_accounts_organization_id ON public.whatsapp_accounts USING btree (organization_id);


--
-- Name: agent_transfers fk_agent_transfers_agent; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.agent_transfers
    ADD CONSTRAINT fk_agent_transfers_agent FOREIGN KEY (agent_id) REFERENCES public.users(id);


--
-- Name: agent_transfers fk_agent_transfers_contact; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.agent_transfers
    ADD CONSTRAINT fk_agent_transfers_contact FOREIGN KEY (contact_id) REFERENCES public.contacts(id);


--
-- Name: agent_transfers fk_agent_transfers_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.agent_transfers
    ADD CONSTRAINT fk_agent_transfers_organization FOREIGN KEY (organization_id) REFERENCES public.organizations(id);


--
-- Name: agent_transfers fk_agent_transfers_resumed_by_user; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.agent_transfers
    ADD CONSTRAINT fk_agent_transfers_resumed_by_user FOREIGN KEY (resumed_by) REFERENCES public.users(id);


--
-- Name: agent_transfers fk_agent_transfers_transferred_by_user; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.agent_transfers
    ADD CONSTRAINT fk_agent_transfers_transferred_by_user FOREIGN KEY (transferred_by_user_id) REFERENCES public.users(id);


--
-- Name: canned_responses fk_canned_responses_created_by; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.canned_responses
    ADD CONSTRAINT fk_canned_responses_created_by FOREIGN KEY (created_by_id) REFERENCES public.users(id);


--
-- Name: canned_responses fk_canned_responses_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.canned_responses
    ADD CONSTRAINT fk_canned_responses_organization FOREIGN KEY (organization_id) REFERENCES public.organizations(id);


--
-- Name: contacts fk_contacts_assigned_user; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contacts
    ADD CONSTRAINT fk_contacts_assigned_user FOREIGN KEY (assigned_user_id) REFERENCES public.users(id);


--
-- Name: messages fk_contacts_messages; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.messages
    ADD CONSTRAINT fk_contacts_messages FOREIGN KEY (contact_id) REFERENCES public.contacts(id);


--
-- Name: contacts fk_contacts_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contacts
    ADD CONSTRAINT fk_contacts_organization FOREIGN KEY (organization_id) REFERENCES public.organizations(id);


--
-- Name: messages fk_messages_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.messages
    ADD CONSTRAINT fk_messages_organization FOREIGN KEY (organization_id) REFERENCES public.organizations(id);


--
-- Name: messages fk_messages_reply_to_message; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.messages
    ADD CONSTRAINT fk_messages_reply_to_message FOREIGN KEY (reply_to_message_id) REFERENCES public.messages(id);


--
-- Name: messages fk_messages_sent_by_user; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.messages
    ADD CONSTRAINT fk_messages_sent_by_user FOREIGN KEY (sent_by_user_id) REFERENCES public.users(id);


--
-- Name: users fk_organizations_users; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT fk_organizations_users FOREIGN KEY (organization_id) REFERENCES public.organizations(id);


--
-- Name: whatsapp_accounts fk_organizations_whats_app_accounts; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.whatsapp_accounts
    ADD CONSTRAINT fk_organizations_whats_app_accounts FOREIGN KEY (organization_id) REFERENCES public.organizations(id);


--
-- Name: templates fk_templates_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.templates
    ADD CONSTRAINT fk_templates_organization FOREIGN KEY (organization_id) REFERENCES public.organizations(id);


--
-- PostgreSQL database dump complete
--

\unrestrict YESZ5Ug2YQRLVEbFCp9X90hhFl5f5sJ936qkXOsyQ6ZXejKrP4NVsxP0mKiFW4W

