/* SPDX-License-Identifier: Apache-2.0 */
/* Text to libxml2's tree, with everything that a document could abuse switched off. */
#include "xml/context.h"

#include <libxml/parser.h>
#include <pthread.h>
#include <string.h>

#include "base/memory.h"
#include "base/own.h"
#include "base/text.h"

struct reading {
    struct error *err;
    bool failed;
};

static void init_library(void)
{
    xmlInitParser();
}

/* Without a document type there are no entities: neither external ones to fetch nor nested ones to expand. */
static void on_document_type(void *arg, const xmlChar *name, const xmlChar *external, const xmlChar *system)
{
    xmlParserCtxt *parser = arg;
    struct reading *reading = parser->_private;
    if (!reading->failed)
        fail(reading->err, ERR_XML_SYNTAX, "line %d: a document type declaration is not allowed here",
             parser->input ? parser->input->line : 1);
    reading->failed = true;
    xmlStopParser(parser);
}

static void on_error(void *arg, xmlError *error)
{
    xmlParserCtxt *parser = arg;
    struct reading *reading = parser->_private;
    if (reading->failed || error->level < XML_ERR_ERROR)
        return;
    size_t length = error->message ? strcspn(error->message, "\n") : 0;
    fail(reading->err, ERR_XML_SYNTAX, "line %d, column %d: %.*s", error->line, error->int2, (int) length,
         error->message ? error->message : "");
    reading->failed = true;
}

static int check_bytes(const char *text, size_t length, struct error *err)
{
    const char *nul = memchr(text, 0, length);
    if (nul)
        return fail(err, ERR_XML_SYNTAX, "byte %td is NUL: this is not XML in UTF-8", nul - text);
    if (text_is_utf8(text, length))
        return 0;
    unsigned line = 1;
    for (const char *start = text,
         *end; (end = memchr(start, '\n', (size_t) (text + length - start))); start = end + 1) {
        if (!text_is_utf8(start, (size_t) (end - start)))
            break;
        line++;
    }
    return fail(err, ERR_XML_SYNTAX, "line %u: not UTF-8", line);
}

static const char *skip_past(const char *text, const char *end, const char *mark)
{
    const char *found = memmem(text, (size_t) (end - text), mark, strlen(mark));
    return found ? found + strlen(mark) : end;
}

/* Past a comment, a CDATA section or an instruction, in which quotes and brackets mean nothing; NULL if there
 * is none. */
static const char *skip_opaque(const char *text, const char *end)
{
    if (text_starts(text, "<!--"))
        return skip_past(text + 4, end, "-->");
    if (text_starts(text, "<![CDATA["))
        return skip_past(text, end, "]]>");
    return text_starts(text, "<?") ? skip_past(text, end, "?>") : NULL;
}

/* Reads from '<' to behind '>', counting quoted values. */
static const char *read_tag(const char *text, const char *end, unsigned *ret_values)
{
    for (*ret_values = 0; text < end && *text != '>'; text++) {
        if (*text != '\'' && *text != '"')
            continue;
        ++*ret_values;
        text = memchr(text + 1, *text, (size_t) (end - text - 1));
        if (!text)
            return end;
    }
    return text < end ? text + 1 : end;
}

/* libxml2 compares each attribute of an element with each other one, and its own limit of depth depends on
 * its version. What is not well-formed may be counted wrongly here, and is refused for that later. */
static int check_tags(const char *text, size_t length, struct error *err)
{
    const char *end = text + length, *opaque;
    unsigned values, depth = 0;
    while ((text = memchr(text, '<', (size_t) (end - text)))) {
        if ((opaque = skip_opaque(text, end))) {
            text = opaque;
            continue;
        }
        const char *tag = text;
        text = read_tag(text, end, &values);
        bool closes = tag[1] == '/', empty = text > tag + 2 && text[-2] == '/';
        if (values > XML_ATTRIBUTES_MAX)
            return fail(err, ERR_XML_SYNTAX, "an element has more than %d attributes", XML_ATTRIBUTES_MAX);
        if (closes)
            depth -= depth > 0;
        else if (!empty && ++depth > XML_DEPTH_MAX)
            return fail(err, ERR_XML_SYNTAX, "elements are nested more than %d deep", XML_DEPTH_MAX);
    }
    return 0;
}

static xmlDoc *parse(xmlParserCtxt *parser, const char *text, size_t length, struct error *err)
{
    struct reading reading = { .err = err };
    parser->_private = &reading;
    parser->sax->internalSubset = on_document_type;
    parser->sax->serror = (xmlStructuredErrorFunc) on_error;
    parser->sax->initialized = XML_SAX2_MAGIC;
    /* The encoding is ours to say: clients hand over UTF-8, whatever the declaration claims. */
    int options = XML_PARSE_NONET | XML_PARSE_NOCDATA | XML_PARSE_BIG_LINES | XML_PARSE_COMPACT;
    xmlDoc *doc = xmlCtxtReadMemory(parser, text, (int) length, NULL, "UTF-8", options);
    if (doc && parser->wellFormed && !reading.failed)
        return doc;
    document_free(doc);
    if (!reading.failed)
        fail(err, ERR_XML_SYNTAX, "the document is not well-formed XML");
    return NULL;
}

/* `text` ends with a NUL. */
static xmlDoc *read_terminated(const char *text, size_t length, struct error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, init_library);
    if (check_bytes(text, length, err) < 0 || check_tags(text, length, err) < 0)
        return NULL;
    if (text[strspn(text, " \t\r\n")] == '\0') {
        fail(err, ERR_XML_SYNTAX, "the document is empty");
        return NULL;
    }
    xmlParserCtxt *parser = xmlNewParserCtxt();
    if (!parser)
        abort();
    xmlDoc *doc = parse(parser, text, length, err);
    xmlFreeParserCtxt(parser);
    return doc;
}

xmlDoc *document_read(const char *text, size_t length, size_t max, struct error *err)
{
    if (length > max) {
        fail(err, ERR_XML_SYNTAX, "the document has %zu bytes; at most %zu are accepted", length, max);
        return NULL;
    }
    owned_memory char *copy = memory_copy_bytes(text, length);
    return read_terminated(copy, length, err);
}

void document_free(xmlDoc *doc)
{
    if (doc)
        xmlFreeDoc(doc);
}
