-- Mail by the id that the mail server answered with (`250 Ok <id>`, as Amazon SES does): its notifications name it, and often nothing else.
--
-- Of the answer itself, so that acceptance costs no column and no statement; the same expression as in src/db/sql/feedback-origin.ts. Answers of other forms,
-- such as Postfix's with its queue id, are in no index.
CREATE INDEX "emails_server_id_idx" ON "emails" ((substring("response" FROM '^250 (?:2[.]0[.]0 )?[Oo][Kk] ([^ ]+)$'))) WHERE substring("response" FROM '^250 (?:2[.]0[.]0 )?[Oo][Kk] ([^ ]+)$') IS NOT NULL;
