/* SPDX-License-Identifier: MIT */
#include "table.h"

#include <stddef.h>

const struct weir_element_info weir_element_infos[] = {
    {"rate", "rate", "A server of constant rate.", NULL},
    {"trace", "rate", "Delivery opportunities read from a file, one timestamp in ms for each 1500 bytes.",
     "Netravali et al. 2015 (mahimahi)"},
    {"walk", "rate", "A rate that takes a random step at equal intervals, between two borders.", NULL},
    {"droptail", "queue", "First in, first out; what finds the buffer full is dropped.", NULL},
    {"drophead", "queue", "First in, first out; a full buffer drops its oldest packet.", NULL},
    {"red", "queue", "Drops or marks by the average queue, gently above the upper threshold.",
     "Floyd and Jacobson 1993"},
    {"codel", "queue", "Drops at the head while packets keep waiting longer than the target.", "RFC 8289"},
    {"pie", "queue", "Drops at the tail with a probability steered by the estimated delay.", "RFC 8033"},
    {"fq_codel", "queue", "Hashed flows in deficit round robin, each with its own CoDel.", "RFC 8290"},
    {"bernoulli", "loss", "Each packet is lost with the same probability.", NULL},
    {"periodic", "loss", "Each n-th packet is lost.", NULL},
    {"gilbert-elliott", "loss", "Losses in bursts: a good and a bad state with their own probabilities.",
     "Gilbert 1960, Elliott 1963"},
    {"reorder", "order", "Some packets are held back and may be overtaken.", NULL},
    {"duplicate", "order", "Some packets arrive twice.", NULL},
    {"jitter", "delay", "A random extra delay; it keeps the order unless told otherwise.", NULL},
    {"delay", "delay", "A constant delay.", NULL},
    {"policer", "policer", "A token bucket that drops what exceeds it; nothing waits.", NULL},
    {"aggregate", "aggregation", "The far end gets packets in batches, as over a radio frame.", NULL},
    {0},
};
